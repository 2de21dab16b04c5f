import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';

type Person = Awaited<ReturnType<typeof signUp>>;

export interface World {
  readonly host: TestHost;
  /** The owner, two who may write, one who may only read. */
  readonly ada: Person;
  readonly ben: Person;
  readonly cas: Person;
  readonly dot: Person;
}

export const api = '/api/v1/repos/ada/desk';

export async function send<T = Record<string, unknown>>(
  by: Pick<TestClient, 'inject'>,
  method: string,
  url: string,
  payload?: object,
): Promise<{ status: number; body: T }> {
  const answer = await by.inject({ method: method as 'GET', url, ...(payload && { payload }) });
  const body = answer.payload && /json/.test(String(answer.headers['content-type'])) ? JSON.parse(answer.payload) : {};
  return { status: answer.statusCode, body: body as T };
}

/** The same for what must go well. */
export async function done<T = Record<string, unknown>>(
  by: Pick<TestClient, 'inject'>,
  method: string,
  url: string,
  payload?: object,
): Promise<T> {
  const { status, body } = await send<T>(by, method, url, payload);
  expect(status, `${method} ${url}: ${JSON.stringify(body)}`).to.be.below(300);
  return body;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A repository `ada/desk` with one file of six lines. */
export async function makeWorld(
  more: Parameters<typeof startHost>[0]['plugins'] = [],
  settings: NonNullable<Parameters<typeof startHost>[0]['settings']> = {},
): Promise<World> {
  const host = await startHost({ plugins: ['reviews', 'files', 'refs', 'branch-protection', ...more], settings });
  const [ada, ben, cas, dot] = [
    await signUp(host, 'ada'),
    await signUp(host, 'ben'),
    await signUp(host, 'cas'),
    await signUp(host, 'dot'),
  ];
  await done(ada, 'POST', '/api/v1/user/repos', { name: 'desk', auto_init: true, default_branch: 'main' });
  for (const name of ['ben', 'cas']) await done(ada, 'PUT', `${api}/collaborators/${name}`, { permission: 'write' });
  await done(ada, 'PUT', `${api}/collaborators/dot`, { permission: 'read' });
  await write(ada, 'main', { 'poem.txt': poem() });
  return { host, ada, ben, cas, dot };
}

export const poem = (...changed: (string | undefined)[]): string =>
  ['rose', 'red', 'violet', 'blue', 'sugar', 'sweet'].map((word, at) => `${changed[at] ?? word}\n`).join('');

/** Writes files on a branch; cut from `main` where it is not there. */
export async function write(by: TestClient, branch: string, files: Readonly<Record<string, string>>): Promise<void> {
  const there = await send(by, 'GET', `${api}/branches/${branch}`);
  const isNew = there.status === 404;
  const changes: object[] = [];
  for (const [path, text] of Object.entries(files)) {
    const old = await send<{ sha?: string }>(by, 'GET', `${api}/contents/${path}?ref=${isNew ? 'main' : branch}`);
    const known = old.status === 200 ? { operation: 'update', sha: old.body.sha } : { operation: 'create' };
    changes.push({ ...known, path, content: base64(text) });
  }
  const where = isNew ? { branch: 'main', new_branch: branch } : { branch };
  await done(by, 'POST', `${api}/contents`, { files: changes, message: `on ${branch}`, ...where });
}

let made = 0;
/** Opens a pull request that changes these files; gives its number and branch. */
export async function open(
  { host, ada }: Pick<World, 'host' | 'ada'>,
  files: Readonly<Record<string, string>>,
  { by = ada, ...more }: { readonly by?: TestClient; readonly [key: string]: unknown } = {},
): Promise<{ number: number; branch: string; at: string }> {
  const branch = `topic-${++made}`;
  await write(ada, branch, files);
  const { number } = await done<{ number: number }>(by, 'POST', `${api}/pulls`, {
    title: `Change ${branch}`,
    base: 'main',
    head: branch,
    ...more,
  });
  await host.settle();
  return { number, branch, at: `${api}/pulls/${number}` };
}

export interface ReviewJson {
  readonly id: number;
  readonly state: string;
  readonly body: string;
  readonly user: { readonly login: string } | null;
  readonly team: { readonly name: string } | null;
  readonly official: boolean;
  readonly stale: boolean;
  readonly dismissed: boolean;
  readonly comments_count: number;
  readonly commit_id: string;
}
export interface CommentJson {
  readonly id: number;
  readonly path: string;
  readonly body: string;
  readonly position: number;
  readonly original_position: number;
  readonly commit_id: string;
  readonly diff_hunk: string;
  readonly resolver: { readonly login: string } | null;
}
