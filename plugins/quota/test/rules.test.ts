/** Rules, groups and who is in them, as clients of Forgejo's API make them, and what follows for owners. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Account } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { actAudited, definePlugin } from '@mortise/plugin-sdk';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { createRepository } from '@mortise/repositories/testing';
import { fits, limitTo } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const acts: string[] = [];
const listener = definePlugin({
  name: 'test-audit',
  version: '1.0.0',
  sdk: '*',
  register: (host) =>
    host.on(actAudited, 'within', 'hear', {}, async ({ action }) => {
      if (action.startsWith('quota_')) acts.push(action);
    }),
});
const api = '/api/v1';

describe('issue 30: quota rules and groups', () => {
  let host: TestHost;
  let admin: TestClient;
  let ada: Account;
  before(async () => {
    host = await startHost({
      plugins: ['quota', 'organizations', listener],
      // there is no such group: the total holds
      settings: { quota: { ENABLED: true, DEFAULT_GROUPS: 'gone' }, 'quota.default': { TOTAL: '1 MiB' } },
    });
    admin = host.as(await createAccount(host, 'root', { isAdmin: true }));
    ada = await createAccount(host, 'ada');
  });
  after(() => host.close());

  const ask = (method: string, url: string, payload?: object, client = admin) =>
    client.inject({ method, url: `${api}${url}`, ...(payload && { payload }) });
  const statusOf = async (...given: Parameters<typeof ask>) => (await ask(...given)).statusCode;

  it('makes, shows, changes and deletes rules', async () => {
    const rule = { name: 'packages', limit: 1000, subjects: ['size:assets:packages:all'] };
    const made = await ask('POST', '/admin/quota/rules', rule);
    expect([made.statusCode, made.json]).to.equal([201, rule]);
    expect(await statusOf('POST', '/admin/quota/rules', rule)).to.equal(409);
    const names = ['', '.', '..', 'a/b'].map((name) => ({ name }));
    for (const wrong of [{ name: 'x', subjects: ['size:nothing'] }, { name: 'x', limit: -2 }, ...names])
      expect(await statusOf('POST', '/admin/quota/rules', wrong), JSON.stringify(wrong)).to.equal(422);
    const changed = await ask('PATCH', '/admin/quota/rules/packages', { limit: -1 });
    expect([changed.statusCode, changed.json]).to.equal([200, { ...rule, limit: -1 }]);
    expect((await ask('GET', '/admin/quota/rules')).json).to.equal([{ ...rule, limit: -1 }]);
    expect((await ask('GET', '/admin/quota/rules/packages')).json).to.equal({ ...rule, limit: -1 });
    expect(await statusOf('DELETE', '/admin/quota/rules/packages')).to.equal(204);
    for (const method of ['GET', 'DELETE']) expect(await statusOf(method, '/admin/quota/rules/packages')).to.equal(404);
    expect(await statusOf('PATCH', '/admin/quota/rules/packages', { limit: 1 })).to.equal(404);
    expect(acts.splice(0)).to.equal(['quota_rule.create', 'quota_rule.edit', 'quota_rule.delete']);
  });

  it('makes groups with rules, puts rules and accounts into them, and takes them out', async () => {
    const rule = { name: 'lfs', limit: 5, subjects: ['size:git:lfs'] };
    const made = await ask('POST', '/admin/quota/groups', { name: 'small', rules: [rule] });
    expect([made.statusCode, made.json]).to.equal([201, { name: 'small', rules: [rule] }]);
    expect(await statusOf('POST', '/admin/quota/groups', { name: 'small' })).to.equal(409);
    const other = { name: 'wiki', limit: 0, subjects: ['size:wiki'] };
    await ask('POST', '/admin/quota/rules', other);
    expect(await statusOf('PUT', '/admin/quota/groups/small/rules/wiki')).to.equal(204);
    expect(await statusOf('PUT', '/admin/quota/groups/small/rules/wiki')).to.equal(409);
    expect((await ask('GET', '/admin/quota/groups')).json).to.equal([{ name: 'small', rules: [rule, other] }]);
    expect(await statusOf('DELETE', '/admin/quota/groups/small/rules/wiki')).to.equal(204);
    expect(await statusOf('DELETE', '/admin/quota/groups/small/rules/wiki')).to.equal(404);
    expect((await ask('GET', '/admin/quota/groups/small')).json.rules).to.equal([rule]);

    expect(await statusOf('PUT', '/admin/quota/groups/small/users/ada')).to.equal(204);
    expect(await statusOf('PUT', '/admin/quota/groups/small/users/ada')).to.equal(409);
    for (const path of ['small/users/nobody', 'none/users/ada', 'small/rules/none', 'none/rules/lfs'])
      expect(await statusOf('PUT', `/admin/quota/groups/${path}`), path).to.equal(404);
    const members = await ask('GET', '/admin/quota/groups/small/users');
    expect(members.json.map((one: { login: string }) => one.login)).to.equal(['ada']);
    const quota = await ask('GET', '/admin/users/ada/quota');
    expect(quota.json.groups).to.equal([{ name: 'small', rules: [rule] }]);
    expect(await statusOf('DELETE', '/admin/quota/groups/small/users/ada')).to.equal(204);
    expect(await statusOf('DELETE', '/admin/quota/groups/small/users/ada')).to.equal(404);

    expect(await statusOf('POST', '/admin/users/ada/quota/groups', { groups: ['small'] })).to.equal(204);
    expect(await statusOf('POST', '/admin/users/ada/quota/groups', { groups: ['none'] })).to.equal(422);
    expect((await ask('GET', '/admin/users/ada/quota')).json.groups).to.have.length(1);
    expect(await statusOf('DELETE', '/admin/quota/groups/small')).to.equal(204);
    expect(await statusOf('GET', '/admin/quota/groups/small')).to.equal(404);
    expect((await ask('GET', '/admin/quota/rules')).json).to.equal([rule, other]);
    expect(acts.splice(0)).to.equal([
      'quota_group.create',
      'quota_rule.create',
      'quota_group.add_rule',
      'quota_group.remove_rule',
      'quota_group.add_user',
      'quota_group.remove_user',
      'quota_group.set_groups',
      'quota_group.delete',
    ]);
  });

  it('is for administrators; owners read their own quota, without names', async () => {
    for (const url of ['/admin/quota/rules', '/admin/quota/groups', '/admin/users/root/quota'])
      expect(await statusOf('GET', url, undefined, host.as(ada)), url).to.equal(403);
    const own = await ask('GET', '/user/quota', undefined, host.as(ada));
    expect(own.json.groups).to.equal([{ rules: [{ limit: 1024 ** 2, subjects: ['size:all'] }] }]);
    await ask('POST', '/orgs', { username: 'guild' }, host.as(ada));
    expect(await statusOf('GET', '/orgs/guild/quota', undefined, host.as(ada))).to.equal(200);
    const ben = host.as(await createAccount(host, 'ben'));
    for (const path of ['', '/check?subject=size:all'])
      expect(await statusOf('GET', `/orgs/guild/quota${path}`, undefined, ben), path).to.equal(403);
  });

  it('counts repositories by who may see them, and tells whether more fits', async () => {
    for (const [name, isPrivate, sizeBytes] of [
      ['open', false, 1000],
      ['closed', true, 20],
    ] as const) {
      const { id } = await createRepository(host, ada, { name, isPrivate });
      await host.services.get(repositories).setDerived(id, { sizeBytes });
    }
    const { used } = (await ask('GET', '/user/quota', undefined, host.as(ada))).json;
    expect(used.size.repos).to.equal({ public: 1000, private: 20 });
    const check = async (subject: string) =>
      (await ask('GET', `/user/quota/check?subject=${subject}`, undefined, host.as(ada))).json;
    expect(await check('size:repos:all')).to.be.true();
    await limitTo(admin, 'tight', { limit: 20, subjects: ['size:repos:private'] }, 'ada');
    expect([await check('size:repos:private'), await check('size:repos:public')]).to.equal([false, true]);
    expect(await statusOf('GET', '/user/quota/check?subject=size:nothing', undefined, host.as(ada))).to.equal(422);
    const hide = (isPrivate: boolean) => statusOf('PATCH', '/repos/ada/open', { private: isPrivate }, host.as(ada));
    expect(await hide(true), 'no room among private ones').to.equal(413);
    expect((await ask('GET', '/repos/ada/open', undefined, host.as(ada))).json.private).to.be.false();
    // what counts both alike has no say in it, full or not
    await limitTo(admin, 'both', { limit: 1, subjects: ['size:repos:all'] });
    await ask('POST', '/admin/users/ada/quota/groups', { groups: ['both'] });
    expect([await hide(true), await hide(false)]).to.equal([200, 200]);
  });

  it('asks all rules of a group, and one of several groups is enough', async () => {
    const carl = await createAccount(host, 'carl');
    const may = (subject: 'size:git:lfs' | 'size:wiki', bytes: number) => fits(host, carl.id, subject, bytes);
    expect([await may('size:git:lfs', 1024 ** 2), await may('size:git:lfs', 1024 ** 2 + 1)]).to.equal([true, false]);
    await limitTo(admin, 'first', { limit: 10, subjects: ['size:git:lfs'] }, 'carl');
    await ask('POST', '/admin/quota/rules', { name: 'all', limit: 5, subjects: ['size:all'] });
    expect([await may('size:git:lfs', 10), await may('size:git:lfs', 11)]).to.equal([true, false]);
    // about what no rule is, nothing is limited
    expect(await may('size:wiki', 1024 ** 3)).to.be.true();
    await ask('PUT', '/admin/quota/groups/first/rules/all');
    expect([await may('size:git:lfs', 5), await may('size:git:lfs', 6)]).to.equal([true, false]);
    await limitTo(admin, 'second', { limit: 100, subjects: ['size:git:all'] }, 'carl');
    expect([await may('size:git:lfs', 100), await may('size:git:lfs', 101)]).to.equal([true, false]);
    // the second group says nothing about it
    expect([await may('size:wiki', 5), await may('size:wiki', 6)]).to.equal([true, false]);
    await limitTo(admin, 'boundless', { limit: -1, subjects: ['size:all'] }, 'carl');
    expect(await may('size:wiki', 1024 ** 4)).to.be.true();
    await limitTo(admin, 'nothing', { limit: 0, subjects: ['size:all'] });
    await ask('POST', '/admin/users/carl/quota/groups', { groups: ['nothing'] });
    expect(await may('size:wiki', 0)).to.be.false();
  });
});

describe('issue 30: quotas that are off, which is the default', () => {
  it('leave no operation, limit and statement', async () => {
    const host = await startHost({ plugins: ['quota'], settings: { 'quota.default': { TOTAL: '0' } } });
    try {
      const admin = host.as(await createAccount(host, 'root', { isAdmin: true }));
      for (const path of ['/user/quota', '/admin/quota/rules', '/admin/quota/groups'])
        expect((await admin.inject(`${api}${path}`)).statusCode, path).to.equal(404);
      expect(await fits(host, 1, 'size:git:lfs', 1024 ** 4)).to.be.true();
    } finally {
      await host.close();
    }
  });
});
