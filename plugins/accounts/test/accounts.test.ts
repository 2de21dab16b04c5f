import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, database, definePlugin, Invalid, scheduledTasks, type Database } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import {
  accounts as accountsRef,
  memberships as membershipsRef,
  userDeleting,
  type Account,
  type Accounts,
  actionsUser,
} from '../api.js';
import { isLoopback } from '../services/networks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Stands for a plugin whose things an account may own. */
const keeper = definePlugin({
  name: 'test-keeper',
  version: '1.0.0',
  sdk: '*',
  requires: { accounts: '^1.0.0' },
  register(host) {
    host.on(userDeleting, 'within', 'keep', {}, async ({ name, purge }) => {
      if (name === 'owner' && !purge) throw Invalid('The account still owns something.');
    });
  },
});

describe('accounts', () => {
  let host: TestHost;
  let accounts: Accounts;
  const made = (name: string, more = {}) =>
    accounts.create({ name, email: `${name}@example.com`, password: 'long enough', ...more });
  const as = (account: Account) => host.as(accounts.actorOf(account, 'test'));

  before(async () => {
    host = await startHost({ plugins: ['accounts', keeper] });
    accounts = host.services.get(accountsRef);
  });
  after(() => host.close());

  it('finds by id, name and address whatever the case, many at once', async () => {
    const ada = await made('Ada');
    expect((await accounts.byName('aDA'))?.id).to.equal(ada.id);
    expect((await accounts.byEmail('ADA@example.com'))?.id).to.equal(ada.id);
    const found = await accounts.byEmails([
      'ada@EXAMPLE.com',
      'nobody@example.com',
      `${ada.id}+ada@noreply.127.0.0.1`,
      `${ada.id}+ada@noreply.localhost`,
    ]);
    expect(found.get('ada@example.com')?.id).to.equal(ada.id);
    expect(found.has('nobody@example.com')).to.be.false();
    expect([...found.values()].filter((one) => one.id === ada.id)).to.have.length(2);
    expect((await accounts.byIds([ada.id, ada.id, 999])).size).to.equal(1);
  });

  it('refuses names that are taken, reserved or badly formed, and bad or used addresses', async () => {
    await made('taken');
    for (const name of [
      '',
      'TAKEN',
      'api',
      'user',
      '-x',
      'x-',
      'a..b',
      'a b',
      'a/b',
      'x.keys',
      'ä',
      'a\0b',
      'n'.repeat(41),
    ]) {
      await expect(made(name, { email: 'free@example.com' })).to.reject();
    }
    for (const email of [
      '',
      'nobody',
      '-x@example.com',
      'taken@example.com',
      'TAKEN@EXAMPLE.COM',
      'a b@example.com',
      `${'x'.repeat(250)}@example.com`,
    ]) {
      await expect(made('free', { email })).to.reject();
    }
    await expect(made('free', { password: 'short' })).to.reject(/8 characters/);
    expect(await accounts.byName('free')).to.be.undefined();
  });

  it('of two people who take one name at the same moment, one is told no', async () => {
    const results = await Promise.allSettled([1, 2, 3].map((n) => made('racer', { email: `racer${n}@example.com` })));
    expect(results.filter((one) => one.status === 'fulfilled')).to.have.length(1);
    for (const one of results) if (one.status === 'rejected') expect(one.reason.status).to.equal(422);
  });

  it('checks passwords by name and by every address, and forgets an old one at once', async () => {
    const ben = await made('ben');
    expect((await accounts.checkPassword('BEN', 'long enough'))?.id).to.equal(ben.id);
    expect((await accounts.checkPassword('ben@example.com', 'long enough'))?.id).to.equal(ben.id);
    expect(await accounts.checkPassword('ben', 'wrong')).to.be.undefined();
    expect(await accounts.checkPassword('nobody', 'long enough')).to.be.undefined();
    await accounts.update(ben.id, { password: 'another one' });
    expect(await accounts.checkPassword('ben', 'long enough')).to.be.undefined();
    expect((await accounts.checkPassword('ben', 'another one'))?.id).to.equal(ben.id);
  });

  it('GEN-06: a renamed account answers 307 under its old name, until somebody else takes it', async () => {
    const cat = await made('cat');
    await accounts.rename(cat.id, 'tiger');
    const moved = await host.inject('/api/v1/users/CAT?x=1');
    expect([moved.statusCode, moved.headers.location]).to.equal([307, '/api/v1/users/tiger?x=1']);
    const keys = await host.inject('/cat.keys');
    expect([keys.statusCode, keys.headers.location]).to.equal([307, '/tiger.keys']);
    const fan = await made('followers');
    await accounts.rename(fan.id, 'crowd');
    const fans = await host.as(accounts.actorOf(fan, 'test')).inject('/api/v1/users/followers/followers');
    expect([fans.statusCode, fans.headers.location]).to.equal([307, '/api/v1/users/crowd/followers']);
    await accounts.rename(cat.id, 'TIGER');
    expect((await host.inject('/api/v1/users/tiger')).json.login).to.equal('TIGER');
    // whom nobody may see is not told under the new name either
    await accounts.update(cat.id, { visibility: 'private' });
    for (const url of ['/api/v1/users/cat', '/cat', '/cat.keys', '/cat.png'])
      expect((await host.inject(url)).statusCode, url).to.equal(404);
    expect((await host.as(accounts.actorOf(cat, 'test')).inject('/cat')).headers.location).to.equal('/TIGER');
    await accounts.update(cat.id, { visibility: 'public' });
    await made('cat', { email: 'second@example.com' });
    expect((await host.inject('/api/v1/users/cat')).statusCode).to.equal(200);
    await expect(accounts.rename(cat.id, 'cat')).to.reject(/taken/);
  });

  it('leads to the picture of an account by its name', async () => {
    const fox = await made('fox');
    for (const url of ['/fox.png', '/user/avatar/fox/64']) {
      const answer = await host.inject(url);
      expect([answer.statusCode, answer.headers.location]).to.equal([303, accounts.avatarUrl(fox)]);
      expect((await host.inject(new URL(String(answer.headers.location)).pathname)).headers['content-type']).to.contain(
        'image/',
      );
    }
    await accounts.update(fox.id, { visibility: 'private' });
    expect((await host.inject('/fox.png')).statusCode).to.equal(404);
    expect((await host.inject('/user/avatar/nobody/64')).statusCode).to.equal(404);
  });

  it('deletes only when nobody minds, and leaves no trace of relations', async () => {
    const owner = await made('owner');
    const friend = await made('friend');
    expect((await as(owner).inject({ method: 'PUT', url: '/api/v1/user/following/friend' })).statusCode).to.equal(204);
    await expect(accounts.delete(owner.id)).to.reject(/still owns/);
    expect(await accounts.byId(owner.id)).to.exist();
    await accounts.delete(owner.id, { purge: true });
    expect(await accounts.byName('owner')).to.be.undefined();
    expect((await accounts.byId(friend.id))?.followerCount).to.equal(0);
    await made('owner');
  });

  it('ADM-12: the last administrator stays', async () => {
    const boss = await made('boss', { isAdmin: true });
    await expect(accounts.update(boss.id, { isAdmin: false })).to.reject(/last administrator/);
    await expect(accounts.delete(boss.id)).to.reject(/last administrator/);
    const second = await made('second-boss', { isAdmin: true });
    await accounts.update(second.id, { isAdmin: false });
  });

  it('hides addresses and private accounts from those who may not see them', async () => {
    const shy = await made('shy', { visibility: 'private' });
    const half = await made('half', { visibility: 'limited' });
    const other = await made('other');
    await accounts.update(half.id, { keepEmailPrivate: true });
    expect((await host.inject('/api/v1/users/shy')).statusCode).to.equal(404);
    expect((await as(other).inject('/api/v1/users/shy')).statusCode).to.equal(404);
    expect((await as(shy).inject('/api/v1/users/shy')).json.email).to.equal('shy@example.com');
    expect((await host.inject('/api/v1/users/half')).statusCode).to.equal(404);
    expect((await as(other).inject('/api/v1/users/half')).json.email).to.match(/^\d+\+half@noreply\./);
    const seen = (await host.inject('/api/v1/users/search?q=h')).json.data.map((user: { login: string }) => user.login);
    expect(seen).to.not.include(['shy', 'half']);
    expect(await host.services.get(membershipsRef).mayView(anonymous, shy)).to.be.false();
    expect(accounts.commitEmail((await accounts.byId(half.id))!)).to.match(/^\d+\+half@/);
  });

  it('searches by address as far as the viewer is shown it', async () => {
    const open = await made('postal', { email: 'letters@post.example.com' });
    const shut = await made('poste', { email: 'poste-restante@post.example.com' });
    await accounts.update(shut.id, { keepEmailPrivate: true });
    const root = await made('warden', { isAdmin: true });
    const found = async (by: Pick<TestHost, 'inject'>) =>
      (await by.inject('/api/v1/users/search?q=%40POST.example')).json.data.map(
        ({ login }: { login: string }) => login,
      );
    expect(await found(host)).to.equal(['postal']);
    expect(await found(as(open))).to.equal(['postal']);
    expect(await found(as(shut))).to.equal(['postal', 'poste']);
    expect(await found(as(root))).to.equal(['postal', 'poste']);
  });

  it('C7: a search by a negative id gives the account that stands for deleted ones, and the one of workflows', async () => {
    const found = async (uid: number) => {
      const { json, headers } = await host.inject(`/api/v1/users/search?uid=${uid}`);
      return [headers['x-total-count'], json.data.map(({ id, login }: { id: number; login: string }) => [id, login])];
    };
    expect(await found(-1)).to.equal(['1', [[-1, 'Ghost']]]);
    expect(await found(-2)).to.equal(['1', [[-2, actionsUser.name]]]);
    expect(await found(-3)).to.equal(['0', []]);
  });

  it('searches with signs that mean something to SQL', async () => {
    await made('per-cent', { fullName: '100% of a_b' });
    for (const [text, count] of [
      ['100%', 1],
      ['a_b', 1],
      ['aXb', 0],
      ["' or 1=1 --", 0],
      ['!', 0],
    ] as const) {
      const answer = await host.inject(`/api/v1/users/search?q=${encodeURIComponent(text)}`);
      expect([text, answer.statusCode, answer.json.data.length]).to.equal([text, 200, count]);
    }
  });

  it('keeps what a search found while nothing but counts of accounts change', async () => {
    const { id } = await made('liked-by-few');
    const rows = host.services.get(database) as { query: Database['query'] };
    const { query } = rows;
    let questions = 0;
    rows.query = (model) => (questions++, query.call(rows, model));
    const search = async () => {
      questions = 0;
      const { json } = await host.inject('/api/v1/users/search?q=liked-by-few');
      // one looks for the row of the account that was found
      return [json.data[0].full_name, json.data[0].starred_repos_count, questions > 1];
    };
    expect(await search()).to.equal(['', 0, true]);
    await accounts.addStarred([id], { all: 2, public: 1 });
    expect(await search()).to.equal(['', 1, false]);
    await accounts.update(id, { fullName: 'Liked' });
    expect(await search()).to.equal(['Liked', 1, true]);
    rows.query = query;
  });

  it('ACC-04: settings change together or not at all', async () => {
    const dan = await made('dan');
    const patch = (payload: object) => as(dan).inject({ method: 'PATCH', url: '/api/v1/user/settings', payload });
    const changed = await patch({
      full_name: 'Dan',
      website: 'https://dan.example.com',
      hide_email: true,
      location: null,
    });
    expect(changed.json).to.include({
      full_name: 'Dan',
      website: 'https://dan.example.com',
      hide_email: true,
      location: '',
      theme: 'auto',
    });
    for (const wrong of [
      { website: 'javascript:alert(1)' },
      { full_name: 7 },
      { location: 'x'.repeat(51) },
      { hide_email: 'yes' },
    ]) {
      expect((await patch({ description: 'new', ...wrong })).statusCode).to.equal(422);
    }
    expect((await as(dan).inject('/api/v1/user/settings')).json.description).to.equal('');
  });

  it('TOK-26, TOK-27: a public-only credential reaches neither mailbox nor private accounts', async () => {
    const eve = await made('eve');
    const narrow = host.as(accounts.actorOf(eve, 'token', { publicOnly: true }));
    expect((await narrow.inject('/api/v1/user')).statusCode).to.equal(200);
    for (const path of ['/user/emails', '/user/settings', '/user/keys', '/user/blocks', '/users/shy']) {
      expect([path, (await narrow.inject(`/api/v1${path}`)).statusCode]).to.equal([
        path,
        path === '/users/shy' ? 404 : 403,
      ]);
    }
    await accounts.update(eve.id, { visibility: 'private' });
    expect((await narrow.inject('/api/v1/user')).statusCode).to.equal(403);
  });

  it('shows pictures that were drawn or uploaded, and refuses other files', async () => {
    const fay = await made('fay');
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const address = async () => new URL((await as(fay).inject('/api/v1/user')).json.avatar_url).pathname;
    const drawn = await address();
    expect(String((await host.inject(drawn)).headers['content-type'])).to.match(/^image\/svg\+xml/);
    const upload = (image: string) =>
      as(fay).inject({ method: 'POST', url: '/api/v1/user/avatar', payload: { image } });
    const wide = Buffer.from(png, 'base64');
    wide.writeUInt32BE(30_000, 20);
    expect((await upload(wide.toString('base64'))).statusCode).to.equal(400);
    expect((await upload(png)).statusCode).to.equal(204);
    const uploaded = await host.inject(await address());
    expect([uploaded.statusCode, uploaded.headers['content-type']]).to.equal([200, 'image/png']);
    expect((await upload(Buffer.from('<svg onload="alert(1)"/>').toString('base64'))).statusCode).to.equal(400);
    expect((await as(fay).inject({ method: 'DELETE', url: '/api/v1/user/avatar' })).statusCode).to.equal(204);
    expect(await address()).to.equal(drawn);
    expect((await host.inject(`/avatars/${'0'.repeat(64)}`)).statusCode).to.equal(404);
  });

  it('blocking ends following, in both directions', async () => {
    const gus = await made('gus');
    const hal = await made('hal');
    const put = (who: Account, url: string) => as(who).inject({ method: 'PUT', url: `/api/v1/user/${url}` });
    await put(gus, 'following/hal');
    expect((await put(hal, 'blocks/gus')).statusCode).to.equal(204);
    expect((await accounts.byId(hal.id))?.followerCount).to.equal(0);
    expect((await put(gus, 'following/hal')).statusCode).to.equal(403);
    expect((await put(hal, 'following/gus')).statusCode).to.equal(403);
    expect(await accounts.blocks(hal.id, gus.id)).to.be.true();
  });

  it('a page of a person escapes what the person wrote', async () => {
    const ivy = await made('ivy', { fullName: '<script>alert(1)</script>' });
    const page = await as(ivy).inject('/ivy');
    expect(page.statusCode).to.equal(200);
    expect(page.payload).to.contain('&lt;script>');
    for (const path of [
      '/user/settings',
      '/user/settings/account',
      '/user/settings/keys',
      '/user/settings/appearance',
    ]) {
      expect([path, (await as(ivy).inject(path)).statusCode]).to.equal([path, 200]);
      expect([path, (await host.inject(path)).statusCode]).to.equal([path, 303]);
    }
  });
});

describe('PASSWORD_COMPLEXITY', () => {
  it('asks for kinds of characters, and refuses kinds that it does not know', async () => {
    const start = (PASSWORD_COMPLEXITY: string) =>
      startHost({ plugins: ['accounts'], settings: { security: { PASSWORD_COMPLEXITY } } });
    const host = await start('lower, upper,digit,spec');
    try {
      const accounts = host.services.get(accountsRef);
      const make = (password: string) => accounts.create({ name: 'ada', email: 'ada@example.com', password });
      await expect(make('long enough')).to.reject('The password must also contain an uppercase letter and a digit.');
      await expect(make('LONG3NOUGH')).to.reject(
        'The password must also contain a lowercase letter and a special character.',
      );
      expect((await make('Ünlong-3nough')).name).to.equal('ada');
      const password = accounts.randomPassword();
      expect((await accounts.create({ name: 'ben', email: 'ben@example.com', password })).name).to.equal('ben');
    } finally {
      await host.close();
    }
    for (const kind of ['funny', 'constructor'])
      await expect(start(`lower,${kind}`).then((one) => one.close())).to.reject(/PASSWORD_COMPLEXITY/);
  });
});

describe('issue 30: [cron.delete_inactive_accounts]', () => {
  it('deletes old accounts that were never activated and own nothing, where the site says so', async () => {
    const week = 7 * 86_400_000;
    const start = (ENABLED: boolean) =>
      startHost({ plugins: ['accounts', keeper], settings: { 'cron.delete_inactive_accounts': { ENABLED } } });
    const run = (one: TestHost) => one.services.get(scheduledTasks).run('delete_inactive_accounts');
    const off = await start(false);
    expect(await run(off).finally(() => off.close())).to.be.false();
    const host = await start(true);
    try {
      const accounts = host.services.get(accountsRef);
      const old = { createdAt: Date.now() - week - 60_000, isActive: false };
      for (const [name, more] of Object.entries<object>({
        waiting: old,
        // refused by the keeper, which holds up no other
        owner: old,
        chief: { ...old, isAdmin: true },
        active: { ...old, isActive: true },
        young: { ...old, createdAt: Date.now() - week + 600_000 },
        later: old,
        known: old,
        crew: { ...old, kind: 'organization' },
      }))
        await accounts.create({ name, email: `${name}@example.com`, ...more });
      await accounts.update((await accounts.byName('known'))!.id, { lastLoginAt: Date.now() });
      expect(await run(host)).to.be.true();
      await host.settle();
      const { items } = await accounts.search({ limit: 20, offset: 0 });
      expect(items.map(({ name }) => name).sort()).to.equal(['active', 'chief', 'crew', 'known', 'owner', 'young']);
    } finally {
      await host.close();
    }
  });
});

describe('networks of clients', () => {
  it('addresses of this computer are told from all others', () => {
    expect(['127.0.0.1', '127.9.9.9', '::ffff:127.0.0.1', '::1', ''].every(isLoopback)).to.be.true();
    expect(['128.0.0.1', '::2', '203.0.113.127'].some(isLoopback)).to.be.false();
  });
});
