import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, type Account, type Accounts } from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('who follows whom, on the profile page', () => {
  let host: TestHost;
  let accounts: Accounts;
  let queries = 0;
  const made = (name: string, more = {}) =>
    accounts.create({ name, email: `${name}@example.com`, password: 'long enough', ...more });
  const as = (account: Account) => host.as(accounts.actorOf(account, 'test'));
  const follow = async (who: Account, name: string) => {
    const answer = await as(who).inject({ method: 'PUT', url: `/api/v1/user/following/${name}` });
    expect(answer.statusCode).to.equal(204);
  };
  /** Names in the list of a page, and the number beside its title. */
  const listOf = (html: string) => ({
    names: [...html.matchAll(/<a class="text-bold" href="[^"]*\/([^"/]+)"/g)].map(([, name]) => name),
    total: Number(/<h2[^>]*>\w+ <span class="Counter">(\d+)/.exec(html)?.[1]),
  });
  const counted = async (client: { inject: TestHost['inject'] }, url: string) => {
    const before = queries;
    const { payload, statusCode } = await client.inject(url);
    expect(statusCode).to.equal(200);
    return { ...listOf(payload), payload, queries: queries - before };
  };

  before(async () => {
    host = await startHost({ plugins: ['accounts'] });
    accounts = host.services.get(accountsRef);
    const { database } = host;
    const query = database.query.bind(database);
    database.query = (model) => {
      queries++;
      return query(model);
    };
  });
  after(() => host.close());

  it('leads from the numbers to the lists, which say so when nobody is there', async () => {
    await made('ada');
    const profile = (await host.inject('/ada')).payload;
    for (const tab of ['followers', 'following']) expect(profile).to.contain(`/ada?tab=${tab}"`);
    const followers = await host.inject('/ada?tab=followers');
    expect(followers.payload).to.contain(['ada has no followers yet.', '?tab=followers" aria-current="page"']);
    expect((await host.inject('/ada?tab=following')).payload).to.contain('ada is not following anyone yet.');
    expect((await host.inject('/ada?tab=followers&page=nonsense')).statusCode).to.equal(200);
    expect((await host.inject('/ada?tab=constructor')).statusCode).to.equal(200);
  });

  it('shows pages of thirty, and asks for many only once more than for one', async () => {
    await made('star');
    const first = await made('fan-00', { fullName: 'First <b>', description: 'Looks at stars' });
    await follow(first, 'star');
    const url = '/star?tab=followers';
    await counted(host, url);
    const one = await counted(host, url);
    expect(one.queries).to.be.above(0);
    expect(one.names).to.equal(['fan-00']);
    expect(one.payload).to.contain('First &lt;b>').and.to.contain('Looks at stars');
    expect(one.payload).to.contain(accounts.avatarUrl(first));
    for (let number = 1; number < 32; number++)
      await follow(await made(`fan-${String(number).padStart(2, '0')}`), 'star');
    await counted(host, url);
    const many = await counted(host, url);
    // how many there are that the visitor may not know of
    expect([many.names.length, many.total, many.queries]).to.equal([30, 32, one.queries + 1]);
    expect(many.payload).to.contain('/star?tab=followers&amp;page=2"');
    const rest = await counted(host, `${url}&page=2`);
    expect(rest.names).to.equal(['fan-30', 'fan-31']);
    expect((await counted(host, '/fan-00?tab=following')).names).to.equal(['star']);
  });

  it('names the same people as the API to each who asks', async () => {
    const known = await made('known');
    const hidden = await made('hidden', { visibility: 'private' });
    const inside = await made('inside', { visibility: 'limited' });
    const boss = await made('boss', { isAdmin: true });
    for (const one of [hidden, inside, boss]) await follow(one, 'known');
    for (const [who, names] of [
      [undefined, ['boss']],
      [known, ['inside', 'boss']],
      [hidden, ['hidden', 'inside', 'boss']],
      [boss, ['hidden', 'inside', 'boss']],
    ] as const) {
      const client = who ? as(who) : host;
      const page = await counted(client, '/known?tab=followers');
      expect(page.names.toSorted()).to.equal(names.toSorted());
      expect(page.total).to.equal(names.length);
      if (!who) continue;
      const api = await client.inject('/api/v1/users/known/followers');
      expect(api.json.map(({ login }: { login: string }) => login).toSorted()).to.equal(names.toSorted());
    }
    expect((await host.inject('/hidden?tab=following')).statusCode).to.equal(404);
    expect((await host.inject('/inside?tab=followers')).statusCode).to.equal(404);
  });
});

describe('issue 30: what a profile shows', () => {
  it('shows the address to people who are signed in, and the location, as settings say', async () => {
    const facts = async (settings: TestHostOptions['settings']) => {
      const host = await startHost({ plugins: ['accounts'], ...(settings && { settings }) });
      try {
        const accounts = host.services.get(accountsRef);
        const made = (name: string, more = {}) =>
          accounts.create({ name, email: `${name}@example.com`, password: 'long enough', ...more });
        await made('ada', { location: 'Ada & "Sons"' });
        const ben = host.as(accounts.actorOf(await made('ben'), 'test'));
        const pages = [await ben.inject('/ada'), await host.inject('/ada')];
        return pages.map(({ payload }) => [
          payload.includes('mailto:ada@example.com'),
          /href="(https:\/\/maps[^"]*)"[^>]*>Ada &amp;/.exec(payload)?.[1],
        ]);
      } finally {
        await host.close();
      }
    };
    expect(await facts(undefined)).to.equal([
      [true, undefined],
      [false, undefined],
    ]);
    const url = 'https://maps.example/?q=Ada%20%26%20%22Sons%22';
    const settings = {
      ui: { SHOW_USER_EMAIL: false },
      service: { USER_LOCATION_MAP_URL: 'https://maps.example/?q=' },
    };
    expect(await facts(settings)).to.equal([
      [false, url],
      [false, url],
    ]);
  });
});
