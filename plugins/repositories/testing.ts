/** For tests of plugins that stand on repositories: a host with accounts, and short ways to ask it. */
import { startHost, type TestClient, type TestHost, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import type { Account } from '@mortise/accounts/api';
import { actorOf, password, signUp, type SignedIn } from '@mortise/accounts/testing';
import { repositories, type NewRepository, type Repository } from './api.js';

/** A host with two users and an administrator, and short ways to ask it. */
export interface Scene {
  readonly host: TestHost;
  readonly ada: SignedIn;
  readonly ben: SignedIn;
  readonly root: SignedIn;
}

export async function startScene(
  options: TestHostOptions = { plugins: ['repositories', 'stars', 'forks'] },
): Promise<Scene> {
  const host = await startHost(options);
  return {
    host,
    ada: await signUp(host, 'ada'),
    ben: await signUp(host, 'ben'),
    root: await signUp(host, 'root', { isAdmin: true }),
  };
}

/** A repository of that account. */
export const createRepository = (
  host: TestHost,
  owner: Account,
  options: NewRepository | string,
): Promise<Repository> =>
  host.services
    .get(repositories)
    .create(owner, typeof options === 'string' ? { name: options } : options, actorOf(host, owner));

/** Address of a repository for git over HTTP (`ada/tool.git`), with the password of an account of the kit. */
export async function remoteUrl(host: TestHost, path: string, username?: string): Promise<string> {
  const url = new URL(`${await host.url()}/${path}`);
  if (username) Object.assign(url, { username, password });
  return url.href;
}

/** One call of the API; `payload` travels as JSON. */
export const send = (client: TestClient, method: string, path: string, payload?: object) =>
  client.inject({ method, url: `/api/v1${path}`, ...(payload && { payload }) });

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
