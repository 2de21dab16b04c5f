/** For tests of plugins that stand on repositories: a host with accounts, and short ways to ask it. */
import { startHost, type TestClient, type TestHost, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';

/** A host with two users and an administrator, and short ways to ask it. */
export interface Scene {
  readonly host: TestHost;
  readonly ada: TestClient;
  readonly ben: TestClient;
  readonly root: TestClient;
}

export async function startScene(
  options: TestHostOptions = { plugins: ['repositories', 'stars', 'forks'] },
): Promise<Scene> {
  const host = await startHost(options);
  const accounts = host.services.get(accountsRef);
  const user = async (name: string, isAdmin = false) =>
    host.as(
      accounts.actorOf(
        await accounts.create({ name, email: `${name}@example.com`, password: 'long enough', isAdmin }),
        'test',
      ),
    );
  return { host, ada: await user('ada'), ben: await user('ben'), root: await user('root', true) };
}

/** One call of the API; `payload` travels as JSON. */
export const send = (client: TestClient, method: string, path: string, payload?: object) =>
  client.inject({ method, url: `/api/v1${path}`, ...(payload && { payload }) });

/** A form of a page. */
export const submit = (client: TestClient, url: string, fields: Readonly<Record<string, string>>) =>
  client.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });

/** The HTML of a page as browsers of that language get it. */
export const pageIn = async (client: Pick<TestClient, 'inject'>, language: string, url: string) =>
  (await client.inject({ url, headers: { 'accept-language': language } })).payload;

export const base64 = (text: string) => Buffer.from(text).toString('base64');

/** An SSH key that nobody holds the other half of. */
export const sshKey = (fill: number) =>
  `ssh-ed25519 ${Buffer.concat([
    Buffer.from([0, 0, 0, 11]),
    Buffer.from('ssh-ed25519'),
    Buffer.from([0, 0, 0, 32]),
    Buffer.alloc(32, fill),
  ]).toString('base64')}`;

/** A picture of one point. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
