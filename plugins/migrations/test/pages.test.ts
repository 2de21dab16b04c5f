import { createServer, type Server } from 'node:http';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pageIn, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { send } from '@mortise/repositories/testing';
import { eventually, fill, startSource, startTarget, type SourceSite } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages of imports', () => {
  let source: SourceSite;
  let host: TestHost;
  let cas: SignedIn;
  let root: SignedIn;
  let silent: Server;
  /** A source that takes requests and never answers. */
  let silentUrl: string;
  before(async () => {
    source = await startSource();
    await fill(source);
    host = await startTarget();
    cas = await signUp(host, 'cas');
    root = await signUp(host, 'root', { isAdmin: true });
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    silentUrl = `http://127.0.0.1:${(silent.address() as { port: number }).port}`;
  });
  after(async () => {
    silent.closeAllConnections();
    silent.close();
    await host?.close();
    await source?.host.close();
  });
  const form = (by: SignedIn, fields: Record<string, string>) =>
    submitForm(by, '/repo/migrate', { service: 'gitea', ...fields });
  const done = (path: string) =>
    eventually(async () => (await cas.inject(`/${path}/migration`)).headers.location === `/${path}`);

  it('chooses a source, in every language', async () => {
    expect(await pageIn(cas, 'en', '/repo/migrate')).to.contain(['Import repository', 'Gitea, Forgejo', 'Gogs']);
    expect(await pageIn(cas, 'de', '/repo/migrate')).to.contain('Repository importieren');
    expect(await pageIn(cas, 'zh-CN', '/repo/migrate')).to.contain('导入仓库');
    const page = (await cas.inject('/repo/migrate?service=gitea')).payload;
    expect(page).to.contain(['clone_addr', 'auth_token', 'name="issues"', 'name="pull_requests"']);
    expect((await host.inject('/repo/migrate')).statusCode).to.be.within(302, 401);
  });

  it('begins an import, shows it while it runs, and leads to the repository afterwards', async () => {
    const began = await form(cas, {
      clone_addr: `${source.url}/ada/mill.git`,
      repo_name: '',
      issues: 'on',
      labels: 'on',
    });
    expect([began.statusCode, began.headers.location]).to.equal([303, '/cas/mill/migration']);
    await done('cas/mill');
    expect((await send(cas, 'GET', '/repos/cas/mill/issues?state=all')).json.length).to.equal(2);
    expect((await cas.inject('/user/migrations')).payload).to.contain(['cas/mill', 'Done']);
    const { json } = await send(cas, 'GET', '/repos/cas/mill/migration');
    expect(json).to.include({ service: 'gitea', state: 'done', error: '', clone_addr: `${source.url}/ada/mill.git` });
    const steps = json.steps.map(({ step, state, done: count }: { step: string; state: string; done: number }) =>
      step === 'code' ? [step, state] : [step, state, count],
    );
    // only what was asked for
    expect(steps).to.equal([
      ['code', 'done'],
      ['labels', 'done', 1],
      ['issues', 'done', 2],
      ['comments', 'done', 1],
      // no boards on this site
      ['projects', 'skipped', 0],
    ]);
    // of what was made here there is none
    await send(cas, 'POST', '/user/repos', { name: 'own', private: true });
    expect((await send(cas, 'GET', '/repos/cas/own/migration')).statusCode).to.equal(404);
    expect((await cas.inject('/cas/mill')).statusCode).to.equal(200);
  });

  it('shows what is wrong beside its field, and no password again', async () => {
    const taken = await form(cas, {
      clone_addr: `${source.url}/ada/mill.git`,
      repo_name: 'mill',
      auth_token: 'secret77',
    });
    expect(taken.statusCode).to.be.within(409, 422);
    expect(taken.payload).to.contain('There is a repository of that name already.');
    expect(taken.payload).not.to.contain('secret77');
    const wrong = await form(cas, { clone_addr: 'file:///etc/passwd', repo_name: 'x' });
    expect(wrong.statusCode).to.equal(422);
  });

  it('tells why an import failed, without credentials, and repeats it without doubles', async () => {
    const began = await form(cas, {
      clone_addr: `${source.url}/ada/mill.git`,
      repo_name: 'again',
      auth_token: 'f'.repeat(40),
      issues: 'on',
    });
    expect(began.statusCode).to.equal(303);
    const page = await eventually(async () => {
      const { payload } = await cas.inject({ url: '/cas/again/migration', headers: { 'accept-language': 'de' } });
      return payload.includes('Der Import ist fehlgeschlagen: Die Quelle lehnt diese Zugangsdaten ab.') && payload;
    });
    expect(page).to.contain(['status 401', 'Weitermachen', 'In den Einstellungen löschen']);
    expect(page).not.to.contain('f'.repeat(40));
    const failed = (await send(cas, 'GET', '/repos/cas/again/migration')).json;
    expect(failed).to.include({ service: 'gitea', state: 'failed', resumes_at: null });
    expect(failed.error).to.contain('status 401');
    expect(JSON.stringify(failed)).not.to.contain('f'.repeat(40));
    // what is half there is shown to nobody, changed by nobody, and can be deleted
    expect((await cas.inject('/cas/again')).headers.location).to.equal('/cas/again/migration');
    expect((await cas.inject('/cas/again/settings')).statusCode).to.equal(200);
    expect((await send(cas, 'POST', '/repos/cas/again/issues', { title: 'no' })).statusCode).to.equal(423);
    expect((await send(cas, 'GET', '/repos/cas/again')).json.empty).to.equal(true);
    await host.database.write(() => host.database.knex()('repository_import').update({ secret: '' }));
    expect((await submitForm(cas, '/cas/again/migration', { action: 'retry' })).statusCode).to.equal(303);
    await done('cas/again');
    expect((await send(cas, 'GET', '/repos/cas/again/issues?state=all')).json.length).to.equal(2);
    expect((await send(cas, 'POST', '/repos/cas/again/issues', { title: 'yes' })).statusCode).to.equal(201);
  });

  it('cancels an import that waits for its source', async () => {
    await form(cas, { clone_addr: `${silentUrl}/ada/mill.git`, repo_name: 'slow', issues: 'on' });
    await eventually(async () => (await cas.inject('/cas/slow/migration')).payload.includes('Running'));
    expect((await root.inject('/cas/slow/migration')).payload).to.contain('Cancel import');
    expect((await submitForm(cas, '/cas/slow/migration', { action: 'cancel' })).statusCode).to.equal(303);
    const page = (await cas.inject('/cas/slow/migration')).payload;
    expect(page).to.contain(['The import was cancelled', 'Go on']);
    expect((await submitForm(cas, '/cas/slow/migration', { action: 'cancel' })).statusCode).to.equal(422);
    expect((await send(cas, 'DELETE', '/repos/cas/slow')).statusCode).to.equal(204);
  });

  it('imports several of an owner from its list', async () => {
    await send(source.ada, 'POST', '/user/repos', { name: 'second', auto_init: true });
    const address = '/repo/migrate/owner';
    const asked = { service: 'gitea', owner_addr: `${source.url}/ada` };
    const list = await submitForm(cas, address, { ...asked, action: 'list' });
    expect(list.statusCode, list.payload).to.equal(200);
    expect(list.payload).to.contain(['ada/mill', 'ada/second']);
    const [, chosen = ''] = /name="address" value="([^"]*second[^"]*)"/.exec(list.payload) ?? [];
    const began = await submitForm(cas, address, { ...asked, action: 'start', address: chosen, issues: 'on' });
    expect([began.statusCode, /^\/user\/migrations\?batch=/.test(String(began.headers.location))]).to.equal([
      303,
      true,
    ]);
    await done('cas/second');
    expect((await cas.inject(String(began.headers.location))).payload).to.contain('cas/second');
    const foreign = { ...asked, action: 'start', address: `${silentUrl}/x/y.git` };
    expect((await submitForm(cas, address, foreign)).statusCode).to.equal(422);
    // a body of JSON holds what no form does
    for (const odd of [[1, { a: 2 }], { a: 2 }, 5, [[]]]) {
      const payload = { ...asked, action: 'start', address: odd, owner: odd, map_authors: odd };
      expect((await cas.inject({ method: 'POST', url: address, payload })).statusCode).to.equal(422);
    }
  });

  it('maps authors to accounts as far as the operator and the importer may', async () => {
    const fields = { clone_addr: `${source.url}/ada/mill.git`, issues: 'on' };
    const other = await form(cas, { ...fields, repo_name: 'mapped', authors: 'ada = root' });
    expect(other.statusCode).to.equal(422);
    const own = await form(cas, { ...fields, repo_name: 'mapped', authors: 'ada = cas', map_authors: 'name' });
    expect(own.statusCode, own.payload).to.equal(303);
    await done('cas/mapped');
    const issues = (await send(cas, 'GET', '/repos/cas/mapped/issues?state=all')).json;
    const authors = issues.map((one: { user: { login: string }; original_author: string }) => [
      one.user.login,
      one.original_author,
    ]);
    // ben is nobody here
    expect(authors).to.only.include([
      ['cas', 'ben'],
      ['cas', ''],
    ]);
  });
});
