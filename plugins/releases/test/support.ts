import { expect } from '@hapi/code';
import { startHost, type TestResponse, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, type Account } from '@mortise/accounts/api';
import { gitReader, refUpdates, zeroOid } from '@mortise/git/api';
import { repositories as repositoriesRef, type Repository } from '@mortise/repositories/api';
import { releaseServices as servicesRef, type ReleaseServices } from '../services/services.js';

export const api = '/api/v1/repos/ada/press';

export interface World {
  readonly host: TestHost;
  readonly releaseServices: ReleaseServices;
  readonly users: Readonly<Record<'ada' | 'ben' | 'cas', Account>>;
  /** The owner, one who may write, one who may read. */
  readonly ada: TestClient;
  readonly ben: TestClient;
  readonly cas: TestClient;
  repository(): Promise<Repository>;
  /** The commit that the branch `main` names. */
  head(): Promise<string>;
  /** As a push would. */
  push(ref: string, to: string): Promise<void>;
  tag(name: string): Promise<string | undefined>;
}

/** A repository `ada/press` with one commit. */
export async function makeWorld(
  plugins: Parameters<typeof startHost>[0]['plugins'] = ['releases'],
  settings: Parameters<typeof startHost>[0]['settings'] = {},
): Promise<World> {
  const host = await startHost({ plugins, settings });
  const accounts = host.services.get(accountsRef);
  const make = (name: string) =>
    accounts.create({ name, email: `${name}@example.com`, password: `correct horse ${name}` });
  const users = { ada: await make('ada'), ben: await make('ben'), cas: await make('cas') };
  const client = (account: Account) => host.as(accounts.actorOf(account, 'test'));
  const [ada, ben, cas] = [client(users.ada), client(users.ben), client(users.cas)];
  const made = await ada.inject({
    method: 'POST',
    url: '/api/v1/user/repos',
    payload: { name: 'press', auto_init: true, default_branch: 'main' },
  });
  expect(made.statusCode).to.equal(201);
  const invited = await ada.inject({
    method: 'PUT',
    url: `${api}/collaborators/ben`,
    payload: { permission: 'write' },
  });
  expect(invited.statusCode).to.equal(204);
  const repository = async () => (await host.services.get(repositoriesRef).byPath('ada', 'press'))!;
  const git = async () => host.services.get(gitReader).open((await repository()).id);
  return {
    host,
    releaseServices: host.services.get(servicesRef),
    users,
    ada,
    ben,
    cas,
    repository,
    head: async () => (await (await git()).branch('main'))!.oid,
    tag: async (name) => (await (await git()).tag(name))?.oid,
    async push(ref, to) {
      const old = (await (await git()).ref(ref))?.oid ?? zeroOid;
      await host.services.get(refUpdates).apply({
        repositoryId: (await repository()).id,
        updates: [{ ref, old, new: to }],
        pusher: accounts.actorOf(users.ben, 'test'),
        source: 'http',
      });
    },
  };
}

export const send = (
  by: Pick<TestClient, 'inject'>,
  method: string,
  url: string,
  payload?: object,
): Promise<TestResponse> => by.inject({ method: method as 'GET', url, payload });

/** A multipart form by hand: fields, and files with a name. */
export function formOf(
  parts: readonly { name: string; value: string | Buffer; fileName?: string; header?: string }[],
): { payload: Buffer; headers: Record<string, string> } {
  const boundary = 'xxBOUNDARYxx';
  const chunks: Buffer[] = [];
  for (const { name, value, fileName, header } of parts) {
    const disposition =
      header ?? `form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}`;
    chunks.push(Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\n\r\n`), Buffer.from(value));
    chunks.push(Buffer.from('\r\n'));
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    payload: Buffer.concat(chunks),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}
