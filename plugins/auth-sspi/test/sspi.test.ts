import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, loginSources as loginSourcesRef, type LoginSource } from '@mortise/accounts/api';
import { createAccount, signUp } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import { loadKerberos } from '../services/library.js';
import { tryService } from '../services/kerberos-service.js';
import { hasKerberos, Kdc, otherRealm, realm } from './kdc.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);

describe('HTTP Negotiate with Kerberos', { skip: !hasKerberos, timeout: 120_000 }, () => {
  let kdc: Kdc;
  let host: TestHost;
  let source: LoginSource;
  let base: string;
  const accounts = () => host.services.get(accountsRef);
  const sources = () => host.services.get(loginSourcesRef);
  const set = (settings: Record<string, unknown> = {}) =>
    sources().update(source.id, { settings: { realms: realm, ...settings } });
  const me = (authorization: string, url = '/api/v1/user') => host.inject({ url, headers: { authorization } });
  const meAs = async (name: string) => me(await kdc.authorization(name));
  const curl = async (name: string, ...args: string[]) =>
    (await run('curl', ['-sS', '--negotiate', '-u', ':', '-i', ...args], { env: kdc.as(name) })).stdout;

  before(async () => {
    kdc = await Kdc.start();
    for (const name of ['ada', 'ben', 'cora', 'dora', 'ada/admin']) kdc.person(name);
    kdc.person('eve', otherRealm);
    host = await startHost({
      plugins: ['auth-sspi', 'auth-two-factor', 'auth-basic', 'sessions', 'admin', 'repositories', 'git-http'],
      settings: { sspi: { SERVICE_NAME: 'HTTP@localhost', KEYTAB: kdc.keytab, ENABLE_API: true, ENABLE_GIT: true } },
    });
    base = (await host.url()).replace('127.0.0.1', 'localhost').replace(/\/+$/, '');
    source = await sources().create({ kind: 'sspi', name: 'Kerberos', settings: { realms: realm } });
  });
  after(async () => {
    await host?.close();
    kdc?.stop();
  });

  it('SSP-01: signs people in with curl on pages: 401 with Negotiate first, and proves who the server is', async () => {
    const first = await host.inject('/user/settings');
    expect([first.statusCode, first.headers['www-authenticate']]).to.equal([401, 'Negotiate']);
    expect(first.payload).to.include('/user/login');
    const shown = await curl('ada', `${base}/user/settings`);
    expect(shown)
      .to.match(/^HTTP\/1.1 200/m)
      .and.match(/^www-authenticate: Negotiate [\w+/=]{20,}/im);
    expect(shown).to.include('>ada<');
    const ada = (await accounts().byName('ada'))!;
    expect(ada).to.include({ sourceId: source.id, loginName: `ada@${realm}`, isActive: true, isAdmin: false });
    expect(await curl('ada', `${base}/api/v1/user`)).to.include(`"login":"ada"`);
    expect(await accounts().count({ kind: 'user' })).to.equal(1);
  });

  it('begins a session by the button of the sign-in page, with the second factor that the account has', async () => {
    const browser = new Browser(host);
    const page = await browser.go('/user/login?redirect_to=%2Fuser%2Fsettings');
    expect(page.payload).to.include('Sign in with Kerberos (SSPI)');
    const asked = await browser.submit('/user/login/sspi', { redirect_to: '/user/settings' });
    expect([asked.statusCode, asked.headers['www-authenticate']]).to.equal([401, 'Negotiate']);
    const jar = join(kdc.folder, 'jar');
    const { stdout: login } = await run('curl', ['-sS', '-c', jar, `${base}/user/login`]);
    const csrf = /name="_csrf" value="([^"]+)"/.exec(login)![1]!;
    const fields = ['-d', `_csrf=${csrf}`, '-d', 'redirect_to=/user/settings'];
    const sent = await curl('ada', '-b', jar, '-c', jar, ...fields, `${base}/user/login/sspi`);
    expect(sent)
      .to.match(/^HTTP\/1.1 303/m)
      .and.match(/^location: \/user\/settings/im);
    const { stdout } = await run('curl', ['-sS', '-b', jar, `${base}/user/settings`]);
    expect(stdout).to.include('>ada<');
    // without the token of the form nobody is signed in
    const forged = await curl('ada', '-d', 'redirect_to=/', `${base}/user/login/sspi`);
    expect(forged)
      .to.match(/^HTTP\/1.1 403/m)
      .and.not.match(/mortise_session/);
  });

  it('replay: a token is good once, for this process and for Kerberos', async () => {
    const token = await kdc.authorization('ada');
    expect((await me(token)).json.login).to.equal('ada');
    expect((await me(token)).statusCode).to.equal(401);
    const { initializeServer } = createRequire(import.meta.url)('kerberos') as {
      initializeServer(service: string): Promise<{ step(token: string): Promise<unknown> }>;
    };
    const again = await initializeServer('HTTP@localhost');
    await expect(again.step(token.slice('Negotiate '.length))).to.reject(/replay/i);
  });

  it('other realms, instances and services: a ticket that holds is not enough', async () => {
    for (const name of ['eve', 'ada/admin']) expect([name, (await meAs(name)).statusCode]).to.equal([name, 401]);
    expect((await me(await kdc.authorization('ada', { spnego: false }))).statusCode).to.equal(401);
    await set({ realms: `${realm}, ${otherRealm}` });
    expect((await meAs('eve')).json.login).to.equal('eve');
    await set();
    expect((await meAs('eve')).statusCode).to.equal(401);
  });

  it('takeover by an equal name: no account of somebody else is handed out', async () => {
    await createAccount(host, 'ben');
    const refused = await meAs('ben');
    expect(refused.statusCode).to.equal(403);
    expect((await accounts().byName('ben'))?.sourceId).to.equal(0);
    const second = await sources().create({ kind: 'sspi', name: 'A second', settings: { realms: otherRealm } });
    expect((await meAs('eve')).statusCode).to.equal(403);
    await sources().delete(second.id);
  });

  it('forged requests: what is written needs the token, also over the API', async () => {
    const write = {
      method: 'PATCH',
      url: '/api/v1/user/settings',
      payload: { full_name: 'Eve' },
    };
    const answer = await host.inject({ ...write, headers: { authorization: await kdc.authorization('ada') } });
    expect(answer.statusCode).to.equal(403);
    expect((await accounts().byName('ada'))?.fullName).to.equal('');
  });

  it('makes accounts as the source says', async () => {
    await set({ autoCreateUsers: false });
    expect((await meAs('cora')).statusCode).to.equal(401);
    await createAccount(host, 'caroline', { sourceId: source.id, loginName: `cora@${realm}`, password: undefined });
    expect((await meAs('cora')).json.login).to.equal('caroline');
    await set({
      autoActivateUsers: false,
      stripDomainNames: false,
      separatorReplacement: '-',
      defaultLanguage: 'de-DE',
    });
    expect((await meAs('dora')).statusCode).to.equal(403);
    const dora = (await accounts().byName(`dora-${realm}`))!;
    expect(dora).to.include({ isActive: false, language: 'de-DE', loginName: `dora@${realm}` });
    await accounts().update(dora.id, { isActive: true });
    expect((await meAs('dora')).statusCode).to.equal(200);
    await set();
  });

  it('nonsense, NTLM and tokens that are too long are refused, and pages go on for visitors', async () => {
    const good = (await kdc.authorization('ada')).slice('Negotiate '.length);
    const ntlm = Buffer.from('NTLMSSP\0\x01\0\0\0\x07\x82\x08\xa2').toString('base64');
    for (const token of ['', 'x', ntlm, good.slice(0, 200), `A${good}`, good + 'A'.repeat(100_000)]) {
      const answer = await me(`Negotiate ${token}`);
      expect([token.length, answer.statusCode, answer.headers['www-authenticate']]).to.equal([
        token.length,
        401,
        'Negotiate',
      ]);
      expect((await me(`Negotiate ${token}`, '/user/login')).statusCode).to.equal(200);
    }
  });

  it('second-factor bypass: who has one shows it, unless the source asks for it itself', async () => {
    const ada = (await accounts().byName('ada'))!;
    const { database } = await import('@mortise/plugin-sdk');
    const row = { user_id: ada.id, secret: 'x', last_step: 0, failures: 0, failing_since: 0, created_at: Date.now() };
    await host.services.get(database).write(async () => {
      await host.services.get(database).knex()('two_factor_totp').insert(row);
    });
    const refused = await meAs('ada');
    expect([refused.statusCode, /[Tt]wo-factor/.test(refused.payload)]).to.equal([401, true]);
    expect((await me(await kdc.authorization('ada'), '/user/settings')).statusCode).to.equal(401);
    const jar = join(kdc.folder, 'jar2');
    const csrf = /name="_csrf" value="([^"]+)"/.exec(await curl('ada', '-c', jar, `${base}/user/login`))![1]!;
    const sent = await curl('ada', '-b', jar, '-c', jar, '-d', `_csrf=${csrf}`, `${base}/user/login/sspi`);
    expect(sent)
      .to.match(/^location: \/user\/two_factor/im)
      .and.not.match(/mortise_session/);
    await sources().update(source.id, { skipsSecondFactor: true });
    expect((await meAs('ada')).statusCode).to.equal(200);
    await sources().update(source.id, { skipsSecondFactor: false });
    await host.services.get(database).write(async () => {
      await host.services.get(database).knex()('two_factor_totp').delete();
    });
  });

  it('git over HTTP: clones and pushes with a ticket alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mortise-sspi-'));
    const git = (...args: string[]) => {
      const env = {
        ...kdc.as('ada'),
        GIT_TERMINAL_PROMPT: '0',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.com',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.com',
      };
      return run('git', ['-c', 'http.emptyAuth=true', ...args], { cwd: folder, env });
    };
    try {
      const ada = (await accounts().byName('ada'))!;
      const made = await host.as(accounts().actorOf(ada, 'test')).inject({
        method: 'POST',
        url: '/api/v1/user/repos',
        payload: { name: 'wheel', private: true, auto_init: true },
      });
      expect(made.statusCode).to.equal(201);
      await git('clone', '-q', `${base}/ada/wheel.git`, 'wheel');
      await git('-C', 'wheel', 'commit', '-q', '--allow-empty', '-m', 'Turn');
      await git('-C', 'wheel', 'push', '-q', 'origin', 'HEAD');
      const remote = (await git('ls-remote', `${base}/ada/wheel.git`, 'HEAD')).stdout.slice(0, 40);
      expect(remote).to.equal((await git('-C', 'wheel', 'rev-parse', 'HEAD')).stdout.trim());
      const env = { ...kdc.as('cora'), GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null' };
      const other = run('git', ['-c', 'http.emptyAuth=true', 'ls-remote', `${base}/ada/wheel.git`], { env });
      await expect(other).to.reject();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is set on a page, and tried', async () => {
    const admin = await signUp(host, 'boss', { isAdmin: true });
    const url = '/-/admin/auths/new?type=sspi';
    const fresh = await admin.inject(url);
    expect(fresh.payload).to.match(/name="settings.autoCreateUsers" value="true" checked/);
    const refused = await submitForm(admin, url, { name: 'New', 'settings.realms': '*' });
    expect([refused.statusCode, refused.payload.includes('Allowed realms')]).to.equal([422, true]);
    const tried = await submitForm(admin, `/-/admin/auths/${source.id}/test`, {});
    expect(tried.payload).to.include('The connection works.');
    const keys = process.env.KRB5_KTNAME;
    expect(keys).to.equal(`FILE:${kdc.keytab}`);
    await expect(tryService(loadKerberos, 'HTTP@elsewhere.example')).to.reject(
      /HTTP@elsewhere.example cannot be checked/,
    );
    process.env.KRB5_KTNAME = 'FILE:/nowhere/keytab';
    await expect(tryService(loadKerberos, 'HTTP@localhost')).to.reject(/\/nowhere\/keytab does not exist/);
    process.env.KRB5_KTNAME = keys;
  });

  it('leaves no trace where it is off, and offers nothing without a source', async () => {
    await sources().update(source.id, { isActive: false });
    const page = await host.inject('/user/settings');
    expect([page.statusCode, page.headers['www-authenticate']]).to.equal([303, undefined]);
    expect((await host.inject('/user/login')).payload).to.not.include('Kerberos');
    expect((await meAs('ada')).statusCode).to.equal(401);
    await sources().update(source.id, { isActive: true });
    const other = await startHost({ plugins: ['accounts', 'sessions', 'admin'] });
    try {
      expect((await other.inject('/user/login')).payload).to.not.include('Kerberos');
      const post = await other.inject({ method: 'POST', url: '/user/login/sspi' });
      expect(post.statusCode).to.equal(404);
    } finally {
      await other.close();
    }
  });
});
