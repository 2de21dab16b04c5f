import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { broker } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** The window is longer than all this takes on any machine: a failure of the first test counts in the last. */
const limits = { FAILED_LOGIN_LIMIT: 4, FAILED_LOGIN_ADDRESS_LIMIT: 9, FAILED_LOGIN_WINDOW: 3600 };
const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** A client at an address; a proxy of this machine tells it. */
const at =
  (host: TestHost, address: string, url = '/api/v1/user') =>
  (authorization: string) =>
    host.inject({ url, headers: { authorization, ...(address && { 'x-forwarded-for': address }) } });
const codes = async (count: number, ask: (index: number) => Promise<{ statusCode: number }>) => {
  const found = [];
  for (let index = 0; index < count; index++) found.push((await ask(index)).statusCode);
  return found;
};

describe('guessing passwords', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['auth-basic', 'auth-token', 'git-http'], settings: { security: limits } });
    ada = await makeUser(host, 'ada');
    const made = await host
      .as(ada)
      .inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'wheel', private: true } });
    expect(made.statusCode).to.equal(201);
  });
  after(() => host.close());

  it('is refused after some for a name from one address, and the owner gets in from another', async () => {
    const made = await host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      headers: { authorization: ada.authorization },
      payload: { name: 'machine', scopes: ['all'] },
    });
    const here = at(host, '203.0.113.1');
    expect(await codes(6, (index) => here(basic('ada', `guess ${index}`)))).to.equal([401, 401, 401, 401, 429, 429]);
    const refused = await here(ada.authorization);
    expect(refused.statusCode).to.equal(429);
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 3600);
    expect(refused.json.message).to.match(/Too many failed sign-in attempts/);
    expect((await here(basic('ADA', 'guess'))).statusCode).to.equal(429);
    expect((await at(host, '203.0.113.2')(ada.authorization)).statusCode).to.equal(200);
    expect((await at(host, '')(ada.authorization)).statusCode).to.equal(200);
    for (const authorization of [`token ${made.json.sha1}`, basic('ada', made.json.sha1), basic(made.json.sha1, '')])
      expect((await here(authorization)).statusCode).to.equal(200);
  });

  it('S14: spellings of a name, and the addresses of its account, are one counter', async () => {
    const here = at(host, '203.0.113.14');
    const spelled = ['ada ', 'ａｄａ', ' ADA', 'ada@example.com', 'a\u00adda', 'Ada\u00a0'];
    const account = await host.as(ada).inject({ url: '/api/v1/user' });
    expect(account.json.email).to.equal('ada@example.com');
    const found = await codes(spelled.length, (index) => here(basic(spelled[index]!, `guess ${index}`)));
    expect(found).to.equal([401, 401, 401, 401, 429, 429]);
    expect((await here(ada.authorization)).statusCode).to.equal(429);
  });

  it('is refused to git in the same way', async () => {
    const git = at(host, '203.0.113.1', '/ada/wheel.git/info/refs?service=git-upload-pack');
    const refused = await git(ada.authorization);
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).to.equal([429, true]);
    const elsewhere = at(host, '203.0.113.3', '/ada/wheel.git/info/refs?service=git-upload-pack');
    expect(await codes(5, (index) => elsewhere(basic('ada', `guess ${index}`)))).to.equal([401, 401, 401, 401, 429]);
  });

  it('a right password takes the failures away', async () => {
    const here = at(host, '203.0.113.4');
    for (let round = 0; round < 3; round++) {
      expect(await codes(3, (index) => here(basic('ada', `guess ${round} ${index}`)))).to.equal([401, 401, 401]);
      if (round < 2) expect((await here(ada.authorization)).statusCode).to.equal(200);
    }
    // Of the address they stay: nine by now, however often its own account signs in between.
    expect((await here(basic('ben', 'guess'))).statusCode).to.equal(429);
  });

  it('takes the same wrong password again for no further guess, though not for ever', async () => {
    const [here, elsewhere] = [at(host, ''), at(host, '203.0.113.9')];
    expect(await codes(101, () => here(basic('ada', 'an old one')))).to.equal([...Array<number>(100).fill(401), 429]);
    expect((await here(ada.authorization)).statusCode).to.equal(200);
    expect(await codes(5, (index) => here(basic('ada', `guess ${index}`)))).to.equal([401, 401, 401, 401, 429]);
    // of an address each failure counts
    expect(await codes(10, () => elsewhere(basic('ada', 'an old one')))).to.equal([...Array<number>(9).fill(401), 429]);
  });

  it('treats names that do not exist alike, and addresses by their network', async () => {
    const here = at(host, '2001:db8:0:7::1');
    expect(await codes(5, (index) => here(basic('nobody', `guess ${index}`)))).to.equal([401, 401, 401, 401, 429]);
    expect((await at(host, '2001:db8:0:7:ffff::2')(basic('nobody', 'guess'))).statusCode).to.equal(429);
    expect((await at(host, '2001:db8:0:8::1')(basic('nobody', 'guess'))).statusCode).to.equal(401);
  });

  it('is refused to an address that tries many names, but for this machine', async () => {
    const tries = (address: string) => codes(10, (index) => at(host, address)(basic(`name${index}`, 'guess')));
    expect(await tries('203.0.113.5')).to.equal([...Array<number>(9).fill(401), 429]);
    expect((await at(host, '203.0.113.5')(ada.authorization)).statusCode).to.equal(429);
    expect(await tries('')).to.equal(Array<number>(10).fill(401));
  });

  it('many at once are not more than one after the other, and the right one many times counts once', async () => {
    const here = at(host, '203.0.113.6');
    const all = await Promise.all(Array.from({ length: 12 }, (_, index) => here(basic('ada', `guess ${index}`))));
    const refused = all.filter((answer) => answer.statusCode === 429).length;
    expect([refused, all.length - refused]).to.equal([8, 4]);
    const names = at(host, '203.0.113.8');
    const tried = await Promise.all(Array.from({ length: 15 }, (_, index) => names(basic(`name${index}`, 'guess'))));
    expect(tried.filter((answer) => answer.statusCode === 429)).to.have.length(6);
    const good = at(host, '203.0.113.7');
    const right = await Promise.all(Array.from({ length: 12 }, () => good(ada.authorization)));
    expect(right.every((answer) => answer.statusCode === 200)).to.be.true();
  });

  it('takes no more time for a name that exists, whatever the password', async () => {
    const time = async (name: string, password: string, index: number) => {
      const began = performance.now();
      await at(host, `198.51.100.${index + 1}`)(basic(name, password));
      return performance.now() - began;
    };
    await time('nobody', 'first', 0);
    for (const password of ['guess', 'x'.repeat(1500)]) {
      // by turns, as the machine may have more to do in the one moment than in the next
      const [known, unknown]: [number[], number[]] = [[], []];
      for (let index = 0; index < 12; index++) {
        known.push(await time('ada', password, index));
        unknown.push(await time('nobody', password, index));
      }
      expect(Math.min(...known) / Math.min(...unknown)).to.be.within(0.2, 5);
    }
  });

  it('is checked again after a while; and never refused where it is switched off', async () => {
    const seconds = 6;
    const brief = await startHost({
      plugins: ['auth-basic'],
      settings: { security: { ...limits, FAILED_LOGIN_WINDOW: seconds } },
    });
    const ben = await makeUser(brief, 'ben');
    let here = at(brief, '203.0.113.1');
    let found: number[] = [];
    // where four take longer than the window, the first is forgotten before the fifth comes: that tells nothing
    for (let round = 1, began = 0; round === 1 || (round < 9 && Date.now() - began >= seconds * 1000); round++) {
      here = at(brief, `203.0.113.${round}`);
      began = Date.now();
      found = await codes(5, (index) => here(basic('ben', `guess ${index}`)));
    }
    expect(found).to.equal([401, 401, 401, 401, 429]);
    const atLast = Date.now() + 60_000;
    while ((await here(ben.authorization)).statusCode === 429 && Date.now() < atLast)
      await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await here(ben.authorization)).statusCode).to.equal(200);
    await brief.close();

    const off = await startHost({
      plugins: ['auth-basic'],
      settings: { security: { FAILED_LOGIN_LIMIT: 0, FAILED_LOGIN_ADDRESS_LIMIT: 0 } },
    });
    expect(await codes(15, () => at(off, '203.0.113.1')(basic('ben', 'guess')))).to.equal(Array<number>(15).fill(401));
    await off.close();
  });
});

const redis = process.env.MORTISE_TEST_REDIS;

describe('guessing passwords at several processes', () => {
  it('counts them together through Redis', { skip: !redis }, async () => {
    const settings = {
      security: { ...limits, SECRET_KEY: 'one secret of one installation, for both' },
      redis: { CONN_STR: redis, PREFIX: `guessing-${Math.random()}:` },
    };
    const hosts = await Promise.all([1, 2].map(() => startHost({ plugins: ['auth-basic'], settings })));
    const [one, two] = hosts as [TestHost, TestHost];
    const users = await Promise.all(hosts.map((host) => makeUser(host, 'ada')));
    const status = async (host: TestHost, authorization: string) =>
      (await at(host, '203.0.113.1')(authorization)).statusCode;
    // What a host hears, its guard has heard before: it began to listen earlier.
    const heard = hosts.map((host) => {
      const keys: string[] = [];
      host.services.get(broker).subscribe('accounts.signIn', (message) => keys.push(...Object.keys(message as object)));
      return keys;
    });
    const told = async (index: number, what: string, count: number) => {
      const words = () => heard[index]!.filter((key) => key === what).length;
      for (const end = Date.now() + 60_000; words() < count && Date.now() < end;)
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect(words()).to.equal(count);
    };
    for (let index = 0; index < 3; index++) expect(await status(one, basic('ada', `guess ${index}`))).to.equal(401);
    await told(1, 'failed', 3);
    // A right one there takes away what was counted here.
    expect(await status(two, users[1]!.authorization)).to.equal(200);
    await told(0, 'cleared', 1);
    for (let index = 0; index < 4; index++) expect(await status(one, basic('ada', `again ${index}`))).to.equal(401);
    expect(await status(one, users[0]!.authorization)).to.equal(429);
    await told(1, 'failed', 7);
    expect(await status(two, users[1]!.authorization)).to.equal(429);
    for (const host of hosts) await host.close();
  });

  it(
    'S11: takes no more guesses at one moment than the limit, at however many processes',
    { skip: !redis },
    async () => {
      const settings = {
        security: { FAILED_LOGIN_LIMIT: 8, SECRET_KEY: 'one secret of one installation, for all' },
        redis: { CONN_STR: redis, PREFIX: `bursts-${Math.random()}:` },
      };
      const hosts: TestHost[] = [];
      const heard = new Map<TestHost, Set<string>>();
      try {
        for (let count = 0; count < 3; count++) {
          const host = await startHost({ plugins: ['auth-basic'], settings });
          const others = new Set<string>();
          host.services
            .get(broker)
            .subscribe('accounts.signIn', (message) => others.add((message as { by: string }).by));
          hosts.push(host);
          heard.set(host, others);
        }
        // the last one that began is heard of by all, and hears all
        const last = await startHost({ plugins: ['auth-basic'], settings });
        hosts.push(last);
        for (const end = Date.now() + 60_000; Date.now() < end;) {
          if ([...heard.values()].every((others) => others.size >= 4)) break;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        // what the last one hears after all of that comes behind it
        const marker = new Promise((resolve) => last.services.get(broker).subscribe('guessing.test', resolve));
        await hosts[0]!.services.get(broker).publish('guessing.test', {});
        await marker;
        const answers = await Promise.all(
          hosts.flatMap((host, index) =>
            Array.from({ length: 20 }, (_, guess) => at(host, '203.0.113.9')(basic('nobody', `${index} ${guess}`))),
          ),
        );
        const tried = answers.filter(({ statusCode }) => statusCode === 401).length;
        expect(tried).to.be.between(0, 9);
        expect(answers.filter(({ statusCode }) => statusCode === 429).length).to.equal(80 - tried);
      } finally {
        for (const host of hosts) await host.close();
      }
    },
  );
});
