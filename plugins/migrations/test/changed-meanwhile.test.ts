/** What happens to a repository while it is imported. */
import { existsSync } from 'node:fs';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { gitReader, gitStore } from '@mortise/git/api';
import { RemoteServer } from '@mortise/git/testing';
import { repositories } from '@mortise/repositories/api';
import { send } from '@mortise/repositories/testing';
import { startTarget } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('U1: repositories that change while they are imported', { timeout: 120_000 }, () => {
  let host: TestHost;
  let remote: RemoteServer;
  let root: SignedIn;
  before(async () => {
    remote = await RemoteServer.start();
    for (const name of ['spring', 'spring.wiki']) {
      await remote.repository(name);
      await remote.commit(name, 'main', { 'a.txt': 'a' });
    }
    host = await startTarget({
      plugins: ['migrations', 'git-http', 'auth-basic', 'organizations', 'lfs', 'files', 'refs', 'admin'],
    });
    root = await signUp(host, 'root', { isAdmin: true });
  });
  after(async () => {
    await remote.close();
    await host?.close();
  });

  let count = 0;
  /** Imports; does something once, while the source holds back its answer to the first such request. */
  async function importing(
    owner: SignedIn,
    pattern: RegExp,
    work: (path: string, id: number) => Promise<unknown>,
  ): Promise<{ id: number; status: number }> {
    const name = `r${++count}`;
    let id = 0;
    const done = remote.during(pattern, async () => {
      id = (await host.services.get(repositories).byPath(owner.account.name, name))!.id;
      await work(`/repos/${owner.account.name}/${name}`, id);
    });
    const body = { clone_addr: remote.url('spring'), service: 'git', repo_name: name, wiki: true };
    const { statusCode } = await send(owner, 'POST', '/repos/migrate', body);
    await done();
    return { id, status: statusCode };
  }
  const folders = (id: number) => {
    const store = host.services.get(gitStore);
    return [store.path(id), store.path(id, 'wiki')].filter((folder) => existsSync(folder));
  };
  /** The run notices that nobody wants it any more, and ends. */
  const untilGone = async (id: number) => {
    for (let tries = 0; tries < 100 && folders(id).length; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(folders(id)).to.be.empty();
  };

  for (const [what, pattern] of [
    ['its code', /^POST .*spring\.git\/git-upload-pack/],
    ['its wiki', /^GET .*wiki\.git\/info\/refs/],
  ] as const)
    it(`one that is deleted while ${what} comes leaves no folder behind`, async () => {
      const ada = await signUp(host, `ada${count}`);
      const { id, status } = await importing(ada, pattern, async (path) =>
        expect((await send(ada, 'DELETE', path)).statusCode).to.equal(204),
      );
      expect([404, 409, 422]).to.include(status);
      await untilGone(id);
    });

  it('one whose owner is deleted with everything leaves none either', async () => {
    const dora = await signUp(host, 'dora');
    const { id, status } = await importing(dora, /^POST/, async () =>
      expect((await send(root, 'DELETE', '/admin/users/dora?purge=true')).statusCode).to.equal(204),
    );
    expect(status).to.be.within(400, 499);
    await untilGone(id);
  });

  it('one that is renamed, hidden, archived or given away, as far as that is allowed, gets what came', async () => {
    const eve = await signUp(host, 'eve');
    await send(eve, 'POST', '/orgs', { username: 'works' });
    for (const change of [
      (path: string) => send(eve, 'PATCH', path, { name: 'renamed' }),
      (path: string) => send(eve, 'PATCH', path, { private: true }),
      (path: string) => send(eve, 'PATCH', path, { archived: true }),
      (path: string) => send(root, 'POST', `${path}/transfer`, { new_owner: 'works' }),
    ]) {
      let changed = 0;
      const { id, status } = await importing(eve, /^POST/, async (path) => {
        changed = (await change(path)).statusCode;
      });
      expect(changed, String(change)).to.be.below(500);
      expect(status, String(change)).to.equal(201);
      expect(await host.services.get(gitReader).open(id).branch('main')).to.exist();
      const [row] = await host.database.knex()('repository_import').where('repository_id', id);
      expect(row.state).to.equal('done');
    }
  });
});
