import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import type { ApiProject, ApiProjectColumn } from '../contract/models.js';

type Person = Awaited<ReturnType<typeof signUp>>;

export interface World {
  readonly host: TestHost;
  /** Owns everything; may write to the repository; may only read it. */
  readonly ada: Person;
  readonly ben: Person;
  readonly cas: Person;
}

export const desk = '/api/v1/repos/ada/desk';
export const boards = `${desk}/projects`;

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
  readonly total: number;
}

export async function send<T = Record<string, unknown>>(
  by: Pick<TestClient, 'inject'>,
  method: string,
  url: string,
  payload?: object,
): Promise<Answer<T>> {
  const answer = await by.inject({ method: method as 'GET', url, ...(payload && { payload }) });
  const body = (answer.payload ? JSON.parse(answer.payload) : undefined) as T;
  return { status: answer.statusCode, body, total: Number(answer.headers['x-total-count'] ?? -1) };
}

/** Public repositories `ada/desk` and `ada/lamp`. */
export async function makeWorld(plugins: Parameters<typeof startHost>[0]['plugins'] = ['projects']): Promise<World> {
  const host = await startHost({ plugins });
  const [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
  for (const name of ['desk', 'lamp'])
    expect((await send(ada, 'POST', '/api/v1/user/repos', { name })).status).to.equal(201);
  const invited = await send(ada, 'PUT', `${desk}/collaborators/ben`, { permission: 'write' });
  expect(invited.status).to.equal(204);
  return { host, ada, ben, cas };
}

export async function makeBoard(
  by: TestClient,
  more: object = {},
  at = boards,
): Promise<{ readonly project: ApiProject; readonly columns: readonly ApiProjectColumn[]; readonly url: string }> {
  const made = await send<ApiProject>(by, 'POST', at, { title: 'Sprint', template_type: 'basic_kanban', ...more });
  expect(made.status).to.equal(201);
  const url = `${at}/${made.body.id}`;
  const { body: columns } = await send<ApiProjectColumn[]>(by, 'GET', `${url}/columns`);
  return { project: made.body, columns, url };
}

export interface Opened {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly projects:
    | readonly { readonly id: number; readonly title: string; readonly column: { readonly title: string } }[]
    | null;
}

export async function openIssue(by: TestClient, title: string, at = desk): Promise<Opened> {
  const made = await send<Opened>(by, 'POST', `${at}/issues`, { title });
  expect(made.status).to.equal(201);
  return made.body;
}

/** Titles of the issues in a column, as somebody sees them. */
export async function inColumn(by: Pick<TestClient, 'inject'>, url: string, columnId: number): Promise<string[]> {
  const { body } = await send<Opened[]>(by, 'GET', `${url}/columns/${columnId}/issues`);
  return body.map(({ title }) => title);
}

/** Puts new issues with these titles in a column; gives them in that order. */
export async function fill(by: TestClient, url: string, columnId: number, titles: readonly string[], at = desk) {
  const made: Opened[] = [];
  for (const title of titles) {
    const issue = await openIssue(by, title, at);
    expect((await send(by, 'POST', `${url}/columns/${columnId}/issues/${issue.id}`)).status).to.equal(201);
    made.push(issue);
  }
  return made;
}
