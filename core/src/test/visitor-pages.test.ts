import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  cachedForVisitors,
  Csrf,
  pageRoute,
  reply,
  webPage,
  type OutsideState,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { h, type VNode } from 'preact';
import { redisSettings } from '../broker/index.js';
import { cacheSettings, createCache, type ManagedCache } from '../cache/index.js';
import type { KernelDatabase } from '../contracts.js';
import { engines, recordingLog, type TestDatabase } from './data-kit.js';
import { as, headerAuth, httpKit, type HttpKit } from './http-kit.js';
import { Star, starMigrations } from './star.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages that are cached for visitors', () => {
  let test: TestDatabase;
  let database: KernelDatabase;
  let migrations: Awaited<ReturnType<typeof starMigrations>>;
  let cache: ManagedCache;
  let kit: HttpKit;
  let made = 0;
  let word: string | undefined = 'first';
  const references: Pick<OutsideState, 'key' | 'read'> = { key: 'references', read: () => word };

  /** Shows who asks, how often it was made, and the stars. */
  const show = async ({ actor, query }: RouteContext) => {
    made++;
    cache.noteRead({ ...references, word });
    const stars = (await database.query(Star)).length;
    const { form } = query as { form?: string };
    return webPage(() => ({
      title: 'Stars',
      body: h(
        'main',
        {},
        `made ${made} for ${actor.name || 'a visitor'}: ${stars}, ${word}`,
        form ? (h(Csrf as () => VNode, {}) as VNode) : null,
      ),
    }));
  };
  before(async () => {
    test = await engines[0]!.open();
    database = test.database;
    migrations = await starMigrations();
    await database.migrate(migrations.sources);
    cache = createCache({
      database,
      log: recordingLog(),
      settings: cacheSettings.validate({}).value,
      redis: redisSettings.validate({}).value,
    });
    kit = await httpKit({
      cache,
      contributions: { 'core.authMethods': [headerAuth] },
      routes: [
        cachedForVisitors(pageRoute('/stars', { actor: 'anyone' }, show)),
        cachedForVisitors(pageRoute('/old', { actor: 'anyone' }, () => reply.redirect(`/stars?${++made}`, 302))),
      ],
    });
  });
  after(async () => {
    await cache.close();
    await test.close();
    await migrations.remove();
  });

  /** How often pages had been made when this one was. */
  const numberIn = (payload: string) => Number(/made (\d+) for/.exec(payload)![1]);
  const visit = async (url = '/stars', headers: Record<string, string> = {}) =>
    (await kit.inject({ url, headers })).payload;

  it('are made once for all who are not signed in, in each language and at each address', async () => {
    const first = await visit();
    expect(first).to.include('for a visitor');
    expect(await visit()).to.equal(first);
    const german = await visit('/stars', { 'accept-language': 'de' });
    expect(german).to.include('lang="de');
    expect(numberIn(german)).to.be.above(numberIn(first));
    expect(await visit('/stars', { 'accept-language': 'de' })).to.equal(german);
    expect(numberIn(await visit('/stars?page=2'))).to.be.above(numberIn(german));
    expect(await visit()).to.equal(first);
  });

  it('are made again when a table has changed that they show, and when something has that is in no table', async () => {
    const before = await visit();
    await database.write(async () => void (await database.knex()('star').insert({ name: 'Vega' })));
    const after = await visit();
    expect(numberIn(after)).to.be.above(numberIn(before));
    expect(after).to.include(': 1, first');
    word = 'second';
    const moved = await visit();
    expect(moved).to.include(': 1, second');
    expect(await visit()).to.equal(moved);
    // while it is changing nothing is kept
    word = undefined;
    const changing = await visit();
    expect(numberIn(await visit())).to.be.above(numberIn(changing));
    word = 'third';
  });

  it('are made by themselves for who is signed in or carries a cookie', async () => {
    const shared = await visit();
    const own = await kit.inject({ url: '/stars', headers: as({ name: 'ada' }) });
    expect(own.payload).to.include('for ada');
    expect(numberIn(await visit('/stars', { cookie: 'colour=green' }))).to.be.above(numberIn(own.payload));
    expect(await visit()).to.equal(shared);
  });

  it('with a form are made for each: nobody gets the token of another', async () => {
    const tokens = [];
    for (let n = 0; n < 2; n++) {
      const { payload, headers } = await kit.inject('/stars?form=1');
      expect(headers['set-cookie'], 'what its token belongs to').to.exist();
      tokens.push(/name="_csrf" value="([^"]+)"/.exec(payload)![1]);
    }
    const together = await Promise.all([kit.inject('/stars?form=1'), kit.inject('/stars?form=1')]);
    tokens.push(...together.map(({ payload }) => /name="_csrf" value="([^"]+)"/.exec(payload)![1]));
    expect(new Set(tokens).size).to.equal(tokens.length);
  });

  it('are pages alone: a redirect is made each time', async () => {
    const [one, other] = [await kit.inject('/old'), await kit.inject('/old')];
    expect([one.statusCode, other.statusCode]).to.equal([302, 302]);
    expect(one.headers.location).to.not.equal(other.headers.location);
  });
});
