import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';

type Person = Awaited<ReturnType<typeof signUp>>;

export interface World {
  readonly host: TestHost;
  /** The owner, one who may write, one who may only read. */
  readonly ada: Person;
  readonly ben: Person;
  readonly cas: Person;
}

export const api = '/api/v1/repos/ada/desk';

export async function send<T = Record<string, unknown>>(
  by: Pick<TestClient, 'inject'>,
  method: string,
  url: string,
  payload?: object,
): Promise<{ status: number; body: T; headers: TestResponse['headers'] }> {
  const answer = await by.inject({ method: method as 'GET', url, ...(payload && { payload }) });
  const body = answer.payload && /json/.test(String(answer.headers['content-type'])) ? JSON.parse(answer.payload) : {};
  return { status: answer.statusCode, body: body as T, headers: answer.headers };
}

/** A repository `ada/desk`. */
export async function makeWorld(plugins: Parameters<typeof startHost>[0]['plugins'] = ['issues']): Promise<World> {
  const host = await startHost({ plugins });
  const [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
  expect((await send(ada, 'POST', '/api/v1/user/repos', { name: 'desk' })).status).to.equal(201);
  const invited = await send(ada, 'PUT', `${api}/collaborators/ben`, { permission: 'write' });
  expect(invited.status).to.equal(204);
  return { host, ada, ben, cas };
}

export interface Named {
  readonly id: number;
  readonly name: string;
}

export async function makeLabel(by: TestClient, name: string, exclusive = false): Promise<number> {
  const { status, body } = await send<Named>(by, 'POST', `${api}/labels`, { name, color: '#00aabb', exclusive });
  expect(status).to.equal(201);
  return body.id;
}

export interface IssueJson {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: string;
  readonly content_version: number;
  readonly labels: readonly Named[];
  readonly milestone: { readonly id: number; readonly open_issues: number } | null;
  readonly assignees: readonly { readonly login: string }[] | null;
  readonly due_date: string | null;
}

export async function open(by: TestClient, more: object = {}): Promise<IssueJson> {
  const { status, body } = await send<IssueJson>(by, 'POST', `${api}/issues`, { title: 'A title', ...more });
  expect(status).to.equal(201);
  return body;
}
