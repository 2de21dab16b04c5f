import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';

type Person = Awaited<ReturnType<typeof signUp>>;

export interface World {
  readonly host: TestHost;
  /** The owner, one who may write, a stranger. */
  readonly ada: Person;
  readonly ben: Person;
  readonly cas: Person;
}

export const api = '/api/v1/repos/ada/loom';

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

interface WorldOptions {
  readonly plugins?: Parameters<typeof startHost>[0]['plugins'];
  readonly settings?: Parameters<typeof startHost>[0]['settings'];
}

/** A repository `ada/loom` with a first commit on `main`. */
export async function makeWorld({ plugins = [], settings }: WorldOptions = {}): Promise<World> {
  const host = await startHost({
    plugins: ['pulls', 'files', 'refs', ...plugins],
    ...(settings && { settings }),
  });
  const [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
  const made = await send(ada, 'POST', '/api/v1/user/repos', { name: 'loom', auto_init: true, default_branch: 'main' });
  expect(made.status).to.equal(201);
  const invited = await send(ada, 'PUT', `${api}/collaborators/ben`, { permission: 'write' });
  expect(invited.status).to.equal(204);
  return { host, ada, ben, cas };
}

let written = 0;

export interface WriteOptions {
  readonly branch?: string;
  /** Makes the branch, from `branch`. */
  readonly into?: string;
  readonly path?: string;
  readonly text?: string;
  readonly at?: string;
}

/** One commit with one new file, over the API; gives its id. */
export async function write(by: TestClient, options: WriteOptions): Promise<string> {
  const path = options.path ?? `file-${++written}.txt`;
  const { status, body } = await send<{ commit: { sha: string } }>(
    by,
    'POST',
    `${options.at ?? api}/contents/${path}`,
    {
      content: Buffer.from(options.text ?? `${path}\n`).toString('base64'),
      message: `add ${path}`,
      branch: options.branch ?? 'main',
      ...(options.into && { new_branch: options.into }),
    },
  );
  expect(status, JSON.stringify(body)).to.equal(201);
  return body.commit.sha;
}

export interface PullJson {
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly mergeable: boolean;
  readonly merged: boolean;
  readonly draft: boolean;
  readonly merge_commit_sha: string | null;
  readonly merged_by: { readonly login: string } | null;
  readonly head: { readonly ref: string; readonly sha: string; readonly repo: object | null };
  readonly base: { readonly ref: string; readonly sha: string };
  readonly changed_files: number;
  readonly additions: number;
}

/** A pull request from a new branch with one commit. */
export async function propose(
  by: TestClient,
  head: string,
  more: { readonly base?: string; readonly title?: string; readonly path?: string; readonly text?: string } = {},
): Promise<PullJson> {
  const { base = 'main', title = head, path, text } = more;
  await write(by, { branch: base, into: head, ...(path && { path }), ...(text && { text }) });
  const { status, body } = await send<PullJson>(by, 'POST', `${api}/pulls`, { head, base, title });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body;
}

export const shown = async ({ ada }: World, index: number): Promise<PullJson> =>
  (await send<PullJson>(ada, 'GET', `${api}/pulls/${index}`)).body;

export const merge = (by: TestClient, index: number, more: object = {}) =>
  send<{ message?: string }>(by, 'POST', `${api}/pulls/${index}/merge`, { do: 'merge', ...more });
