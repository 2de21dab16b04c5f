/** Quotas of what lies in git: pushes over HTTP, wikis, new repositories, forks, transfers, commits of the API. */
import { randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Account } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { gitReader } from '@mortise/git/api';
import { GitClient } from '@mortise/git/testing';
import { jobs } from '@mortise/plugin-sdk';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { createRepository, remoteUrl } from '@mortise/repositories/testing';
import { measureStorage } from '../jobs/measure-storage.js';
import { limitTo } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const refusal = /remote: There is no room for this in the quota of the owner\./;

describe('issue 30: quotas of git', { timeout: 120_000 }, () => {
  let host: TestHost;
  let client: GitClient;
  let admin: TestClient;
  let ada: Account;
  let ben: Account;
  let dan: Account;
  before(async () => {
    host = await startHost({
      plugins: ['quota', 'git-http', 'auth-basic', 'forks', 'editor', 'files', 'wiki', 'refs', 'pulls'],
      settings: { quota: { ENABLED: true } },
    });
    client = new GitClient(host);
    admin = host.as(await createAccount(host, 'root', { isAdmin: true }));
    ada = await createAccount(host, 'ada');
    ben = await createAccount(host, 'ben');
    dan = await createAccount(host, 'dan');
    await limitTo(admin, 'dan', { limit: 100_000, subjects: ['size:repos:all'] }, 'dan');
    await limitTo(admin, 'git', { limit: 300_000, subjects: ['size:repos:all', 'size:wiki'] }, 'ada');
    await limitTo(admin, 'none', { limit: 0, subjects: ['size:repos:all', 'size:wiki'] }, 'ben');
  });
  after(() => host.close());

  const push = async (path: string, who: Account, bytes: number, ...refs: string[]) => {
    const folder = await client.workTree();
    await client.commit(folder, { 'a.bin': randomBytes(bytes).toString('base64') }, 'some bytes');
    await client.run(
      folder,
      'push',
      await remoteUrl(host, `${path}.git`, who.name),
      ...(refs.length ? refs : ['main']),
    );
    return folder;
  };
  const usedBy = async (who: Account) => (await host.as(who).inject('/api/v1/user/quota')).json.used.size;

  it('lets in what fits, refuses what does not, and lets references go all the same', async () => {
    await createRepository(host, ada, { name: 'shop' });
    const folder = await push('ada/shop', ada, 150_000);
    expect(Number((await usedBy(ada)).repos.public)).to.be.above(150_000);
    // counted before anything is measured, so that the next push finds it
    await expect(push('ada/shop', ada, 150_000, 'main:other')).to.reject(refusal);
    await host.settle();
    await expect(push('ada/shop', ada, 150_000, 'main:other')).to.reject(refusal);
    const remote = await remoteUrl(host, 'ada/shop.git', ada.name);
    // commits that are there already take no room
    await client.run(folder, 'push', remote, 'main:refs/heads/again');
    await client.run(folder, 'push', remote, ':refs/heads/again');
  });

  it('lets nobody fill a repository with what is pushed for review, or lies in a fork', async () => {
    const eve = await createAccount(host, 'eve');
    const { id } = await createRepository(host, dan, { name: 'target' });
    await push('dan/target', dan, 1000);
    const ask = (method: string, url: string, payload: object) =>
      host.as(eve).inject({ method, url: `/api/v1/repos/${url}`, payload });
    const commitToFork = async (name: string) => {
      const content = Buffer.from(name).toString('base64');
      const made = await ask('POST', `eve/target/contents/${name}`, { content, message: name });
      await host.settle();
      return String(made.json.commit.sha);
    };
    await ask('POST', 'dan/target/forks', {});
    await host.settle();
    const first = await commitToFork('first');
    const pull = { title: 'More', head: 'eve:main', base: 'main' };
    expect((await ask('POST', 'dan/target/pulls', pull)).statusCode).to.equal(201);
    await expect(push('dan/target', eve, 150_000, 'main:refs/for/main/big')).to.reject(refusal);

    await host.settle();
    await host.services.get(repositories).setDerived(id, { sizeBytes: 100_000 });
    const second = await commitToFork('second');
    await ask('POST', 'eve/target/branches', { new_branch_name: 'other' });
    expect((await ask('POST', 'dan/target/pulls', { ...pull, head: 'eve:other' })).statusCode).to.equal(413);
    const statusOf = async (method: string, url: string, payload: object) =>
      (await host.as(dan).inject({ method, url: `/api/v1/repos/dan/target/${url}`, payload })).statusCode;
    expect(await statusOf('POST', 'branches', { new_branch_name: 'copy' }), 'no new commits').to.equal(201);
    const { sha } = (await host.as(dan).inject('/api/v1/repos/dan/target/contents/a.bin')).json;
    expect(await statusOf('DELETE', 'contents/a.bin', { sha, branch: 'copy' }), 'no new files').to.equal(200);
    const content = Buffer.from('third').toString('base64');
    expect(await statusOf('POST', 'contents/third', { content, branch: 'copy' })).to.equal(413);
    const git = host.services.get(gitReader).open(id);
    expect([Boolean(await git.info(first)), Boolean(await git.info(second))]).to.equal([true, false]);
  });

  it('lets only one of two pushes into the last room', async () => {
    const dora = await createAccount(host, 'dora');
    await limitTo(admin, 'last', { limit: 100_000, subjects: ['size:all'] }, 'dora');
    for (const name of ['one', 'two']) await createRepository(host, dora, { name });
    const pushes = await Promise.allSettled(['dora/one', 'dora/two'].map((path) => push(path, dora, 60_000)));
    expect(pushes.map(({ status }) => status).sort()).to.equal(['fulfilled', 'rejected']);
  });

  it('counts pushes to wikis for themselves', async () => {
    await expect(push('ada/shop.wiki', ada, 290_000)).to.reject(refusal);
    await push('ada/shop.wiki', ada, 1000);
    await host.settle();
    const wiki = Number((await usedBy(ada)).wiki);
    expect(wiki).to.be.within(1000, 100_000);
    await host.database.write(() => host.database.knex()('quota_wiki').delete());
    await host.database.write(() => host.services.get(jobs).enqueue(measureStorage, {}));
    await host.settle();
    expect((await usedBy(ada)).wiki).to.equal(wiki);
  });

  it('refuses new repositories, forks, commits and pages of an owner whose quota is used up, with 413', async () => {
    const open = await createRepository(host, ada, { name: 'open' });
    const ask = async (method: string, url: string, payload: object, who = ben) =>
      (await host.as(who).inject({ method, url: `/api/v1${url}`, payload })).statusCode;
    expect(await ask('POST', '/user/repos', { name: 'mine' })).to.equal(413);
    expect(await ask('POST', '/repos/ada/open/forks', {})).to.equal(413);
    await host.services.get(repositories).setDerived(open.id, { sizeBytes: 400_000 });
    const content = Buffer.from('x').toString('base64');
    expect(await ask('POST', '/repos/ada/open/contents/a.txt', { content, message: 'a' }, ada)).to.equal(413);
    expect(await ask('POST', '/repos/ada/open/wiki/new', { title: 'A', content_base64: content }, ada)).to.equal(413);
    expect(await ask('DELETE', '/repos/ada/open', {}, ada)).to.equal(204);
  });

  it('lets a repository go only to an owner who has room for it', async () => {
    const carl = await createAccount(host, 'carl');
    const { id } = await createRepository(host, carl, { name: 'goes' });
    await host.services.get(repositories).setDerived(id, { sizeBytes: 1 });
    const transfer = async (to: string) =>
      (await admin.inject({ method: 'POST', url: '/api/v1/repos/carl/goes/transfer', payload: { new_owner: to } }))
        .statusCode;
    expect(await transfer('ben')).to.equal(413);
    expect((await host.services.get(repositories).byId(id))?.ownerName).to.equal('carl');
    const renamed = await admin.inject({ method: 'PATCH', url: '/api/v1/repos/carl/goes', payload: { name: 'gone' } });
    expect(renamed.statusCode).to.equal(200);
  });
});
