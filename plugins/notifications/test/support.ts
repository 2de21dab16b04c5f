import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { signUp } from '@mortise/accounts/testing';

export type Person = Awaited<ReturnType<typeof signUp>>;

export interface ThreadJson {
  readonly id: number;
  readonly repository: { readonly full_name: string } | null;
  readonly subject: {
    readonly title: string;
    readonly type: string;
    readonly state: string;
    readonly url: string;
    readonly html_url: string;
    readonly latest_comment_html_url: string;
  } | null;
  readonly unread: boolean;
  readonly pinned: boolean;
}

export interface World {
  readonly host: TestHost;
  /** The owner, one who may write, one who may only read. */
  readonly ada: Person;
  readonly ben: Person;
  readonly cas: Person;
}

export const idOf = async (host: TestHost, name: string): Promise<number> =>
  (await host.services.get(accounts).byName(name))!.id;

export const desk = '/api/v1/repos/ada/desk';

export async function send<T = Record<string, unknown>>(
  by: Pick<TestClient, 'inject'>,
  method: string,
  url: string,
  payload?: object,
): Promise<{ status: number; body: T; total: number }> {
  const answer = await by.inject({ method: method as 'GET', url, ...(payload && { payload }) });
  return { status: answer.statusCode, body: answer.json as T, total: Number(answer.headers['x-total-count']) };
}

/** A repository `ada/desk`, which ada watches. */
export async function makeWorld(more: Partial<Parameters<typeof startHost>[0]> = {}): Promise<World> {
  const host = await startHost({ ...more, plugins: ['notifications', 'stars', ...(more.plugins ?? [])] });
  const [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
  expect((await send(ada, 'POST', '/api/v1/user/repos', { name: 'desk' })).status).to.equal(201);
  expect((await send(ada, 'PUT', `${desk}/collaborators/ben`, { permission: 'write' })).status).to.equal(204);
  return { host, ada, ben, cas };
}

export async function open(by: TestClient, title: string, more: object = {}): Promise<number> {
  const { status, body } = await send<{ number: number }>(by, 'POST', `${desk}/issues`, { title, ...more });
  expect(status).to.equal(201);
  return body.number;
}

export const unread = async (by: TestClient): Promise<number> =>
  (await send<{ new: number }>(by, 'GET', '/api/v1/notifications/new')).body.new;

/** `type title state status` of each thread. */
export async function inbox(by: TestClient, query = '?all=true', at = '/api/v1/notifications'): Promise<string[]> {
  const { body } = await send<ThreadJson[]>(by, 'GET', `${at}${query}`);
  return body.map(lineOf);
}

export const lineOf = ({ subject, pinned, unread: isUnread }: ThreadJson): string =>
  `${subject?.type} ${subject?.title} ${subject?.state} ${pinned ? 'pinned' : isUnread ? 'unread' : 'read'}`;

export async function threadOf(by: TestClient, title: string): Promise<ThreadJson> {
  const { body } = await send<ThreadJson[]>(by, 'GET', '/api/v1/notifications?all=true&limit=50');
  return body.find(({ subject }) => subject?.title === title)!;
}
