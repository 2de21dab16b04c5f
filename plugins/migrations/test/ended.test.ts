/** What becomes of imports that wait, fail or are cancelled, and of what they were given. */
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Encryption } from '@mortise/plugin-sdk';
import { submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { gitStore } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';
import { send } from '@mortise/repositories/testing';
import { ImportStore } from '../services/import-store.js';
import { resumeImports } from '../jobs/jobs.js';
import { service } from '../wiring.js';
import { jobs } from '@mortise/plugin-sdk';
import { PlayedService } from './played-service.js';
import { eventually, startTarget } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const day = 86_400_000;
const secret = 'secret-77';

describe('imports that do not end well', { timeout: 120_000 }, () => {
  let host: TestHost;
  let cas: SignedIn;
  let dan: SignedIn;
  let silent: Server;
  let silentUrl: string;
  let played: PlayedService;
  let isLimited = false;
  before(async () => {
    host = await startTarget({
      settings: { migrations: { ALLOW_LOCALNETWORKS: true, RETRY_BACKOFF: 0, MAX_PENDING: 3 } },
    });
    [cas, dan] = [await signUp(host, 'cas'), await signUp(host, 'dan')];
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    silentUrl = `http://127.0.0.1:${(silent.address() as { port: number }).port}`;
    const listed = (name: string) => ({
      name,
      full_name: `works/${name}`,
      clone_url: `${played.url}/works/${name}.git`,
    });
    played = new PlayedService(({ path }) => {
      if (path === '/api/v1/orgs/works') return { body: {} };
      if (isLimited && path.endsWith('/limited')) return { status: 429, headers: { 'retry-after': '3600' }, body: {} };
      if (path === '/api/v1/orgs/works/repos') return { body: [listed('one'), listed('two')] };
      return undefined;
    });
    await played.start();
  });
  after(async () => {
    silent.closeAllConnections();
    silent.close();
    await played.stop();
    await host?.close();
  });
  const begin = (by: SignedIn, name: string, more: Record<string, string> = {}) =>
    submitForm(by, '/repo/migrate', {
      service: 'gitea',
      clone_addr: `${silentUrl}/ada/mill.git`,
      repo_name: name,
      ...more,
    });
  const act = (by: SignedIn, name: string, fields: Record<string, string>) =>
    submitForm(by, `/${by.account.name}/${name}/migration`, fields);
  const idOf = async (by: SignedIn, name: string): Promise<number> =>
    (await send(by, 'GET', `/repos/${by.account.name}/${name}`)).json.id;
  const rowOf = async (by: SignedIn, name: string) =>
    host.database
      .knex()('repository_import')
      .where({ repository_id: await idOf(by, name) })
      .first();
  const patch = async (by: SignedIn, name: string, columns: object) => {
    const id = await idOf(by, name);
    await host.database.write(() =>
      host.database.knex()('repository_import').where({ repository_id: id }).update(columns),
    );
  };
  const stateOf = async (by: SignedIn, name: string): Promise<string> =>
    (await send(by, 'GET', `/repos/${by.account.name}/${name}/migration`)).json.state;
  const resume = () => host.database.write(() => host.services.get(jobs).enqueue(resumeImports, {}));
  const remove = async (by: SignedIn, ...names: string[]) => {
    for (const name of names) await send(by, 'DELETE', `/repos/${by.account.name}/${name}`);
  };

  it('S4: every secret of the body is stored encrypted, also one that the source does not know', async () => {
    const sending = send(cas, 'POST', '/repos/migrate', {
      clone_addr: `${silentUrl}/ada/mill.git`,
      service: 'gitea',
      repo_name: 'cloud',
      auth_username: 'ada',
      auth_token: secret,
      aws_access_key_id: secret,
      aws_secret_access_key: secret,
    });
    const row = await eventually(() => host.database.knex()('repository_import').first());
    expect(JSON.stringify(row)).to.not.contain(secret);
    expect(row.secret).to.not.equal('');
    await eventually(async () => (await stateOf(cas, 'cloud')) === 'running');
    expect((await act(cas, 'cloud', { action: 'cancel' })).statusCode).to.equal(303);
    expect((await sending).statusCode).to.equal(409);
    // what came stays, as the page says
    expect(await stateOf(cas, 'cloud')).to.equal('cancelled');
    await remove(cas, 'cloud');
  });

  it('of one that failed over the API nothing is left, unless somebody let it go on', async () => {
    const sent = { clone_addr: `${played.url}/works/none.git`, service: 'gitea' };
    expect((await send(cas, 'POST', '/repos/migrate', { ...sent, repo_name: 'api' })).statusCode).to.equal(422);
    expect((await send(cas, 'GET', '/repos/cas/api')).statusCode).to.equal(404);
    await begin(cas, 'kept', { clone_addr: sent.clone_addr });
    await eventually(async () => (await stateOf(cas, 'kept')) === 'failed');
    const repository = (await host.services.get(repositories).byPath('cas', 'kept'))!;
    const imports = new ImportStore(host.database, new Encryption(Buffer.alloc(32)));
    const failed = (await imports.of(repository.id))!;
    await patch(cas, 'kept', { state: 'cancelled' });
    expect(await host.services.get(service).discard(repository, failed, cas.account.id)).to.be.false();
    expect((await send(cas, 'GET', '/repos/cas/kept')).statusCode).to.equal(200);
    await patch(cas, 'kept', { state: 'failed' });
    expect(await host.services.get(service).discard(repository, failed, cas.account.id)).to.be.true();
    expect((await send(cas, 'GET', '/repos/cas/kept')).statusCode).to.equal(404);
    expect(existsSync(host.services.get(gitStore).path(repository.id))).to.be.false();
  });

  it('one that paused, was cancelled and goes on does so at once', async () => {
    isLimited = true;
    await begin(cas, 'paused', { clone_addr: `${played.url}/works/limited.git` });
    await eventually(async () => (await stateOf(cas, 'paused')) === 'paused');
    await act(cas, 'paused', { action: 'cancel' });
    isLimited = false;
    await act(cas, 'paused', { action: 'retry' });
    await eventually(async () => (await stateOf(cas, 'paused')) === 'failed');
    await remove(cas, 'paused');
  });

  it('S4: credentials of a cancelled import are forgotten after 7 days, and others can be given', async () => {
    await begin(cas, 'slow', { auth_token: secret });
    await eventually(async () => (await stateOf(cas, 'slow')) === 'running');
    await act(cas, 'slow', { action: 'cancel' });
    for (const [age, isThere] of [
      [6 * day, true],
      [8 * day, false],
    ] as const) {
      await patch(cas, 'slow', { updated_at: Date.now() - age });
      await resume();
      await eventually(async () => {
        const waiting = await host.database
          .knex()('job')
          .where({ name: 'migrations.resume' })
          .whereIn('state', ['waiting', 'running']);
        return waiting.length === 0;
      });
      expect((await rowOf(cas, 'slow')).secret !== '', `${age}`).to.equal(isThere);
    }
    await patch(cas, 'slow', { address: `${played.url}/works/none.git` });
    expect((await act(cas, 'slow', { action: 'retry', auth_token: 'another-78' })).statusCode).to.equal(303);
    await eventually(async () => (await stateOf(cas, 'slow')) === 'failed');
    expect(played.requests.at(-1)!.headers.authorization).to.contain('another-78');
    expect(JSON.stringify(await rowOf(cas, 'slow'))).to.not.contain('another-78');
    await remove(cas, 'slow');
  });

  it('[migrations] MAX_HOURS counts the time of runs since the last start, and no time in which it waits', async () => {
    await begin(cas, 'long', { clone_addr: `${played.url}/works/none.git` });
    const failure = () =>
      eventually(async () => {
        const row = await rowOf(cas, 'long');
        return row.state === 'failed' && (row.error as string);
      });
    expect(await failure()).to.contain('404');
    await patch(cas, 'long', { created_at: Date.now() - 100 * day });
    await act(cas, 'long', { action: 'retry' });
    expect(await failure()).to.contain('404');
    await patch(cas, 'long', { ran_ms: 73 * 3_600_000, state: 'running', updated_at: Date.now() - day });
    await resume();
    expect(await failure()).to.contain('72 hours');
    await act(cas, 'long', { action: 'retry' });
    expect(await failure()).to.contain('404');
    await remove(cas, 'long');
  });

  it('one account has one import running and no more than are allowed waiting; others come in between', async () => {
    for (const name of ['a', 'b', 'c']) expect((await begin(cas, name)).statusCode).to.equal(303);
    expect((await begin(cas, 'd')).statusCode).to.be.within(403, 422);
    expect((await begin(dan, 'a')).statusCode).to.equal(303);
    await eventually(async () => (await stateOf(dan, 'a')) === 'running');
    await eventually(async () => Number((await rowOf(dan, 'a')).ran_ms) > 0);
    const states = await Promise.all(['a', 'b', 'c'].map((name) => stateOf(cas, name)));
    expect(states.sort()).to.equal(['queued', 'queued', 'running']);
    const store = new ImportStore(host.database, new Encryption(Buffer.alloc(32)));
    const take = () => host.database.write(() => store.takeStale(Date.now() + 1000, 1));
    const seen = [];
    for (let n = 0; n < 4; n++) {
      await patch(dan, 'a', { updated_at: Date.now() + 60_000 });
      seen.push(...(await take()).map(({ repositoryId }) => repositoryId));
    }
    expect(new Set(seen).size).to.be.above(1);
    for (const name of ['c', 'b', 'a']) await act(cas, name, { action: 'cancel' });
    await act(dan, 'a', { action: 'cancel' });
    await remove(cas, 'a', 'b', 'c');
    await remove(dan, 'a');
  });

  it('what was left out is named after the end too', async () => {
    await send(cas, 'POST', '/user/repos', { name: 'ended' });
    const id = await idOf(cas, 'ended');
    const knex = (table: string) => host.database.knex()(table);
    const row = { batch: '', run: '', pauses: 0, resumes_at: 0, created_at: 1, updated_at: 1, error: '', secret: '' };
    const options = { kinds: [], authors: { by: 'none', accounts: {} }, values: {}, lfsEndpoint: '', description: '' };
    const more = {
      user_id: cas.account.id,
      service: 'git',
      address: 'https://git.example/a',
      options: JSON.stringify(options),
    };
    const step = { repository_id: id, step: 'code', state: 'done', position: '', done: 1, total: 1, note: '' };
    await host.database.write(async () => {
      await knex('repository_import').insert({ ...row, ...more, repository_id: id, state: 'done' });
      await knex('repository_import_step').insert(step);
    });
    expect((await cas.inject('/cas/ended/migration')).statusCode).to.equal(303);
    await host.database.write(() => knex('repository_import_step').update({ note: 'refs/heads/x was left out.' }));
    const page = await cas.inject('/cas/ended/migration');
    expect([page.statusCode, page.payload.includes('refs/heads/x was left out.')]).to.equal([200, true]);
    // it names what others may not see
    for (const other of [host, dan]) {
      expect((await other.inject('/cas/ended/migration')).statusCode).to.equal(303);
      const [shown] = (await other.inject('/api/v1/repos/cas/ended/migration')).json.steps;
      expect(shown).to.include({ step: 'code', note: '' });
    }
    await remove(cas, 'ended');
  });

  it('of several the ones that cannot begin are named, and the others begin', async () => {
    await send(cas, 'POST', '/user/repos', { name: 'one' });
    const answer = await submitForm(cas, '/repo/migrate/owner', [
      ['service', 'gitea'],
      ['owner_addr', `${played.url}/works`],
      ['action', 'start'],
      ...['one', 'two', 'gone'].map((name) => ['address', `${played.url}/works/${name}.git`] as const),
    ]);
    expect(answer.statusCode, answer.payload).to.equal(200);
    expect(answer.payload).to.contain(['one: ', 'works/gone.git: ', '/user/migrations?batch=']);
    expect((await send(cas, 'GET', '/repos/cas/two')).statusCode).to.equal(200);
  });

  it('where imports are off none goes on', async () => {
    const off = await startTarget({ settings: { repository: { DISABLE_MIGRATIONS: true } } });
    try {
      const eve = await signUp(off, 'eve');
      const { json } = await send(eve, 'POST', '/user/repos', { name: 'ended' });
      const row = {
        batch: '',
        run: '',
        pauses: 0,
        resumes_at: 0,
        created_at: 1,
        updated_at: 1,
        error: 'x',
        secret: '',
      };
      const options = {
        kinds: [],
        authors: { by: 'none', accounts: {} },
        values: {},
        lfsEndpoint: '',
        description: '',
      };
      const more = {
        user_id: eve.account.id,
        service: 'git',
        address: 'https://git.example/a',
        options: JSON.stringify(options),
      };
      await off.database.write(() =>
        off.database
          .knex()('repository_import')
          .insert({ ...row, ...more, repository_id: json.id, state: 'failed' }),
      );
      expect((await eve.inject('/eve/ended/migration')).payload).to.not.contain('Go on');
      expect((await submitForm(eve, '/eve/ended/migration', { action: 'retry' })).statusCode).to.be.within(403, 422);
      expect((await off.database.knex()('repository_import').first()).state).to.equal('failed');
    } finally {
      await off.close();
    }
  });

  it('S4: a mirror that is refused asks nobody, and sends no credentials', async () => {
    played.requests.length = 0;
    await send(cas, 'POST', '/user/repos', { name: 'taken' });
    const asked = { service: 'gitea', clone_addr: `${played.url}/works/one.git`, mirror: true, auth_token: secret };
    for (const repo_name of ['taken', '../x', '.git'])
      expect((await send(cas, 'POST', '/repos/migrate', { ...asked, repo_name })).statusCode).to.be.within(400, 422);
    expect(played.requests).to.be.empty();
  });
});
