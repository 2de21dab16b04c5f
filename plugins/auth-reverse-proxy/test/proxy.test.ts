import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { basicAuth, createAccount, password } from '@mortise/accounts/testing';
import { Browser, cookieOf } from '@mortise/sessions/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const everywhere = {
  service: { ENABLE_REVERSE_PROXY_AUTHENTICATION: true, ENABLE_REVERSE_PROXY_AUTHENTICATION_API: true },
};
const says = (name: string) => ({ 'x-webauth-user': name });

describe('sign-in by a proxy', () => {
  const hosts: TestHost[] = [];
  const start = async (settings: Record<string, Record<string, unknown>>) => {
    const host = await startHost({ plugins: ['auth-reverse-proxy', 'auth-basic', 'auth-token', 'sessions'], settings });
    hosts.push(host);
    await createAccount(host, 'ada');
    return host;
  };
  after(async () => {
    for (const host of hosts) await host.close();
  });
  const me = (host: TestHost, headers: Record<string, string>) => host.inject({ url: '/api/v1/user', headers });
  const settingsPage = (host: TestHost, headers: Record<string, string>) =>
    host.inject({ url: '/user/settings', headers });

  it('RPX-01: is off by default, and on pages alone without its own setting for the API', async () => {
    const off = await start({});
    expect((await me(off, says('ada'))).statusCode).to.equal(401);
    expect((await settingsPage(off, says('ada'))).statusCode).to.equal(303);
    const pages = await start({ service: { ENABLE_REVERSE_PROXY_AUTHENTICATION: true } });
    expect((await settingsPage(pages, says('ada'))).statusCode).to.equal(200);
    expect((await me(pages, says('ada'))).statusCode).to.equal(401);
    const api = await start({ service: { ENABLE_REVERSE_PROXY_AUTHENTICATION_API: true } });
    expect((await me(api, says('ada'))).json.login).to.equal('ada');
    expect((await settingsPage(api, says('ada'))).statusCode).to.equal(303);
  });

  it('reverse proxy header spoofing: the header means nothing from who is no trusted proxy', async () => {
    const host = await start({ ...everywhere, security: { REVERSE_PROXY_TRUSTED_PROXIES: '10.9.8.7/32' } });
    for (const headers of [
      says('ada'),
      { ...says('ada'), 'x-forwarded-for': '10.9.8.7' },
      { ...says('ada'), 'x-real-ip': '10.9.8.7' },
    ]) {
      expect((await me(host, headers)).statusCode).to.equal(401);
      expect((await settingsPage(host, headers)).statusCode).to.equal(303);
    }
  });

  it('forged requests: what is written needs the token, also over the API', async () => {
    const host = await start(everywhere);
    const forged = await host.inject({
      method: 'PATCH',
      url: '/api/v1/user/settings',
      headers: { ...says('ada'), 'content-type': 'application/json' },
      payload: { full_name: 'Eve' },
    });
    expect(forged.statusCode).to.equal(403);
    expect((await host.services.get(accounts).byName('ada'))?.fullName).to.equal('');
    // a credential that the program sends itself goes before it
    const own = await host.inject({
      method: 'PATCH',
      url: '/api/v1/user/settings',
      headers: { ...says('nobody'), authorization: basicAuth('ada') },
      payload: { full_name: 'Ada L.' },
    });
    expect(own.statusCode).to.equal(200);
  });

  it('session fixation: who the proxy names goes before a session of somebody else', async () => {
    const host = await start(everywhere);
    const ben = await createAccount(host, 'ben');
    const cookie = await cookieOf(host, ben.id);
    expect((await me(host, { cookie })).json.login).to.equal('ben');
    expect((await me(host, { cookie, ...says('ada') })).json.login).to.equal('ada');
  });

  it('makes accounts only where it may, once, and never organizations or inactive people', async () => {
    const closed = await start(everywhere);
    expect((await me(closed, says('newcomer'))).statusCode).to.equal(401);
    const org = await createAccount(closed, 'acme', { kind: 'organization', password: undefined });
    expect((await me(closed, says(org.name))).statusCode).to.equal(401);
    await createAccount(closed, 'sleeper', { isActive: false });
    expect((await me(closed, says('sleeper'))).statusCode).to.equal(403);

    const open = await start({
      service: {
        ...everywhere.service,
        ENABLE_REVERSE_PROXY_AUTO_REGISTRATION: true,
        ENABLE_REVERSE_PROXY_EMAIL: true,
        ENABLE_REVERSE_PROXY_FULL_NAME: true,
      },
    });
    const headers = {
      ...says('zoe'),
      'x-webauth-email': 'zoe@corp.example',
      'x-webauth-fullname': encodeURIComponent('Zoë Ångström'),
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => me(open, headers)));
    expect(answers.map((one) => one.json.login)).to.equal(Array(5).fill('zoe'));
    expect(answers[0]!.json).to.include({ email: 'zoe@corp.example', full_name: 'Zoë Ångström' });
    for (const odd of ['..', 'a/b', 'admin', 'x'.repeat(300), '%00', 'ada@corp.example'])
      expect((await me(open, says(odd))).statusCode, odd).to.equal(401);
    // the address of somebody else does not make it theirs
    expect((await me(open, { ...says('yves'), 'x-webauth-email': 'ada@example.com' })).statusCode).to.equal(401);
  });

  it('U14: an address alone, and an address as user name, sign in the account that has it; refusals say why', async () => {
    const emails = { ENABLE_REVERSE_PROXY_AUTO_REGISTRATION: true, ENABLE_REVERSE_PROXY_EMAIL: true };
    const host = await start({ service: { ...everywhere.service, ...emails } });
    const tells = (email: string) => ({ 'x-webauth-email': email });
    expect((await me(host, { ...says('uma'), ...tells('uma@corp.example') })).json.login).to.equal('uma');
    expect((await me(host, tells('uma@corp.example'))).json.login).to.equal('uma');
    expect((await me(host, says('Uma@corp.example'))).json.login).to.equal('uma');
    // new ones are called as the part before the @, and are known again
    for (const headers of [tells('vera@corp.example'), says('vera@corp.example')])
      expect((await me(host, headers)).json).to.include({ login: 'vera', email: 'vera@corp.example' });
    for (const _ of [1, 2]) expect((await me(host, says('Jörg Müller'))).json.login).to.equal('Jorg-Muller');
    // somebody else's name at another domain
    for (const headers of [tells('uma@other.example'), says('uma@other.example')]) {
      const refused = await me(host, headers);
      expect([refused.statusCode, refused.json.message]).to.equal([401, 'The name "uma" is already taken.']);
    }
    const reserved = await me(host, { ...says('admin'), ...tells('q@corp.example') });
    expect(reserved.statusCode).to.equal(401);
    expect(reserved.json.message).to.match(/admin/);
    expect((await me(host, says('a/b'))).json.message).to.match(/no account can have/);
    // S12: claimed only, by the owner of another account, who loses it
    await createAccount(host, 'eve', { email: 'victim@corp.example', isEmailClaimed: true });
    expect((await me(host, tells('victim@corp.example'))).json.login).to.equal('victim');
    // off: addresses say nothing
    const off = await start({ service: { ...everywhere.service } });
    expect((await me(off, tells('ada@example.com'))).statusCode).to.equal(401);
    expect((await me(off, says('ada@example.com'))).statusCode).to.equal(401);
  });

  it('leads to where the proxy signs people out', async () => {
    const host = await start({ ...everywhere, security: { REVERSE_PROXY_LOGOUT_REDIRECT: 'https://sso.example/out' } });
    const page = await settingsPage(host, says('ada'));
    const csrf = /name="_csrf" value="([^"]+)"/.exec(page.payload)![1]!;
    const out = await host.inject({
      method: 'POST',
      url: '/user/logout',
      headers: { ...says('ada'), 'content-type': 'application/x-www-form-urlencoded' },
      payload: `_csrf=${encodeURIComponent(csrf)}`,
    });
    expect([out.statusCode, out.headers.location]).to.equal([303, 'https://sso.example/out']);
    const browser = await Browser.signedIn(host, 'ada');
    await browser.go('/user/settings');
    expect((await browser.submit('/user/logout')).headers.location).to.equal('/');
  });

  describe('behind nginx', () => {
    let host: TestHost;
    let folder: string;
    let nginx: ChildProcess;
    let front: string;

    before(async () => {
      host = await start(everywhere);
      const behind = await host.url();
      const port = await freePort();
      front = `http://127.0.0.1:${port}`;
      folder = await mkdtemp(join(tmpdir(), 'mortise-nginx-'));
      await mkdir(join(folder, 'logs'));
      const digest = createHash('sha1').update(password).digest('base64');
      await writeFile(join(folder, 'people'), `ada:{SHA}${digest}\n`);
      await writeFile(
        join(folder, 'nginx.conf'),
        `daemon off; master_process off; pid nginx.pid; error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path tmp_${one};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location / {
      auth_basic "people"; auth_basic_user_file people;
      proxy_pass ${behind};
      proxy_set_header Host $http_host;
      proxy_set_header Authorization "";
      proxy_set_header X-WEBAUTH-USER $remote_user;
    }
    location /open/ { proxy_pass ${behind}/; proxy_set_header X-WEBAUTH-USER ""; }
  }
}
`,
      );
      nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf'], { stdio: ['ignore', 'inherit', 'inherit'] });
      for (;;) {
        if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
        const answer = await fetch(`${front}/open/api/healthz`).catch(() => undefined);
        if (answer) break;
        await wait(20);
      }
    });
    after(async () => {
      if (nginx && nginx.exitCode === null) {
        const ended = new Promise((resolve) => nginx.once('exit', resolve));
        nginx.kill('SIGTERM');
        await ended;
      }
      if (folder) await rm(folder, { recursive: true, force: true });
    });

    it('people are who the proxy knows, and nobody else, whatever they send', async () => {
      const authorization = basicAuth('ada');
      const api = await fetch(`${front}/api/v1/user`, { headers: { authorization, 'x-webauth-user': 'root' } });
      expect(((await api.json()) as { login: string }).login).to.equal('ada');
      expect((await fetch(`${front}/user/settings`, { headers: { authorization } })).status).to.equal(200);
      const spoofed = await fetch(`${front}/open/api/v1/user`, { headers: { 'x-webauth-user': 'ada' } });
      expect(spoofed.status).to.equal(401);
    });
  });
});
