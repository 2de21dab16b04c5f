import { expect } from '@hapi/code';
import { startHost, type TestResponse, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import type { Account } from '@mortise/accounts/api';
import { signUp } from '@mortise/accounts/testing';
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
  const [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
  const users = { ada: ada.account, ben: ben.account, cas: cas.account };
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
        pusher: ben.actor,
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
