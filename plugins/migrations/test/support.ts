import { startHost, type TestHost, type TestHostOptions, type TestResponse } from '@mortise/plugin-sdk/testing';
import { password, signUp, type SignedIn } from '@mortise/accounts/testing';
import { base64, send } from '@mortise/repositories/testing';

type Json = TestResponse['json'];

/** A second site, from which repositories are imported by its API alone. */
export interface SourceSite {
  readonly host: TestHost;
  readonly url: string;
  readonly ada: SignedIn;
  readonly ben: SignedIn;
  /** Asks its API for a repository of ada, and gives the answer; throws unless it succeeds. */
  ask(by: SignedIn, method: string, path: string, body?: object): Promise<Json>;
  /** For the form of an import. */
  readonly credentials: { readonly auth_username: string; readonly auth_password: string };
}

export async function startSource(name = 'mill', more: readonly string[] = []): Promise<SourceSite> {
  const plugins = ['auth-basic', 'auth-token', 'git-http', 'editor', 'files', 'refs', 'releases', 'reviews', 'wiki'];
  const host = await startHost({
    plugins: [...plugins, ...more],
    background: true,
  });
  const [ada, ben] = [await signUp(host, 'ada'), await signUp(host, 'ben')];
  const ask = async (by: SignedIn, method: string, path: string, body?: object) => {
    const answer = await send(by, method, `/repos/ada/${name}${path}`, body);
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.payload}`);
    return answer.json;
  };
  const made = await send(ada, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main' });
  if (made.statusCode !== 201) throw new Error(made.payload);
  return {
    host,
    url: await host.url(),
    ada,
    ben,
    ask,
    credentials: { auth_username: 'ada', auth_password: password },
  };
}

/** A host that imports; nothing is allowed beyond what the options say. */
export const startTarget = (options: Partial<TestHostOptions> = {}): Promise<TestHost> =>
  startHost({
    plugins: ['migrations', 'git-http', 'auth-basic', 'organizations', 'lfs', 'files', 'refs'],
    background: true,
    ...options,
    settings: {
      security: { ALLOWED_HOST_LIST: '*' },
      migrations: { ALLOW_LOCALNETWORKS: true, RETRY_BACKOFF: 0 },
      ...options.settings,
    },
  });

/** Everything that can be imported, a little of each. */
export async function fill({ ask, ada, ben }: SourceSite): Promise<void> {
  await ask(ada, 'POST', '/contents/a.txt', { content: base64('one\ntwo\n'), branch: 'main', new_branch: 'topic' });
  await ask(ada, 'POST', '/contents/b.txt', { content: base64('b\n'), branch: 'main', new_branch: 'done' });
  await ask(ada, 'PUT', '/topics', { topics: ['water'] });
  const red = await ask(ada, 'POST', '/labels', { name: 'red', color: '#ff0000', description: 'not good' });
  const soon = await ask(ada, 'POST', '/milestones', { title: 'soon', due_on: '2030-05-06T00:00:00Z' });
  const dates = { start_date: '2030-04-05T00:00:00Z', due_date: '2030-05-01T12:00:00Z' };
  const first = { title: 'first', body: 'the *text*', labels: [red.id], milestone: soon.id, ...dates };
  await ask(ada, 'POST', '/issues', first);
  await ask(ben, 'POST', '/issues', { title: 'second', body: '<script>alert(1)</script>' });
  await ask(ada, 'PATCH', '/issues/2', { state: 'closed' });
  await ask(ben, 'POST', '/issues/1/comments', { body: 'by ben' });
  await ask(ben, 'POST', '/issues/1/reactions', { content: 'heart' });
  await ask(ada, 'POST', '/issues/1/reactions', { content: 'heart' });
  await ask(ada, 'PUT', '/issues/2/lock', { lock_reason: 'spam' });
  await ask(ada, 'POST', '/pulls', { title: 'open pull', head: 'topic', base: 'main', labels: [red.id], ...dates });
  const comments = [{ path: 'a.txt', new_position: 2, body: 'this line' }];
  await ask(ben, 'POST', '/pulls/3/reviews', { body: 'looks good', event: 'APPROVED', comments });
  await ask(ada, 'POST', '/pulls', { title: 'done pull', head: 'done', base: 'main' });
  await ask(ada, 'POST', '/pulls/4/merge', { do: 'squash' });
  await ask(ada, 'DELETE', '/branches/done');
  const release = await ask(ada, 'POST', '/releases', { tag_name: 'v1', name: 'one', target_commitish: 'main' });
  await ask(ada, 'POST', '/releases', { tag_name: 'v2', draft: true, target_commitish: 'main' });
  const boundary = 'boundary';
  const part = `--${boundary}\r\ncontent-disposition: form-data; name="attachment"; filename="data.bin"\r\n\r\nasset data\r\n--${boundary}--\r\n`;
  const uploaded = await ada.inject({
    method: 'POST',
    url: `/api/v1/repos/ada/mill/releases/${release.id}/assets?name=data.bin`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: part,
  });
  if (uploaded.statusCode !== 201) throw new Error(uploaded.payload);
  await ask(ada, 'POST', '/wiki/new', { title: 'Home', content_base64: base64('hello') });
}

export const everything = {
  issues: true,
  labels: true,
  milestones: true,
  pull_requests: true,
  releases: true,
  wiki: true,
  lfs: true,
} as const;

/** Looks again until it holds, for at most half a minute. */
export async function eventually<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 300; tries++) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it did not happen within 30 seconds');
}
