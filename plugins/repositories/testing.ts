/** For tests of plugins that stand on repositories: a host with accounts, and short ways to ask it. */
import { startHost, type TestClient, type TestHost, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import { accounts, type Account } from '@mortise/accounts/api';
import { actorOf, password, signUp, type SignedIn } from '@mortise/accounts/testing';
import { gitReader, gitWriter, refUpdates, type TreeChange } from '@mortise/git/api';
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

/** A commit on the default branch; content that begins with `-> ` makes a symbolic link to what follows. */
export async function commitFiles(
  host: TestHost,
  { id, ownerId, defaultBranch }: Repository,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  const git = host.services.get(gitReader).open(id);
  const writer = host.services.get(gitWriter);
  const tip = (await git.branch(defaultBranch))!.oid;
  const author = { name: 'A', email: 'a@example.com', time: Date.now(), zone: '+0000' };
  const changes = Object.entries(files).map(([path, content]): TreeChange =>
    typeof content === 'string' && content.startsWith('-> ')
      ? { path, content: content.slice(3), mode: '120000' }
      : { path, content },
  );
  const tree = await writer.writeTree(id, tip, changes);
  const commit = { tree, parents: [tip], author: author, committer: author, message: 'files' };
  const updates = [{ ref: `refs/heads/${defaultBranch}`, old: tip, new: await writer.writeCommit(id, commit) }];
  const owner = (await host.services.get(accounts).byId(ownerId))!;
  await host.services
    .get(refUpdates)
    .apply({ repositoryId: id, updates, pusher: actorOf(host, owner), source: 'internal' });
  await host.settle();
}

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
