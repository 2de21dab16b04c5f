// Attacks that public advisories tell of services like this one, tried on every route that there is, so that those of new
// plugins are tried as well. Which class is tested where: docs/security-tests.md.
// Database: SQLite alone
// Time: about 60 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Browser } from '@mortise/sessions/testing';
import {
  canary,
  fill,
  isReading,
  organizations,
  password,
  people,
  reached,
  scopesOf,
  startSite,
  surfaceOf,
} from '../authorization/site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const maxShown = 40;
const shown = (wrong) => (wrong.length > maxShown ? [`${wrong.length} wrong`, ...wrong.slice(0, maxShown)] : wrong);
const evil = 'evil.example';
/** A place of this server. */
const tame = '/explore/led-here';

describe('attacks on every route', { timeout: 600_000 }, () => {
  let site;
  let routes;
  before(async () => {
    site = await startSite({ settings: { quota: { ENABLED: true } } });
    routes = site.routes.map(({ route }) => route).filter(({ method }) => method !== '*' && method !== 'OPTIONS');
  });
  after(() => site?.close());

  async function signedIn(name) {
    const browser = new Browser(site.host);
    await browser.go('/user/login');
    const answer = await browser.submit('/user/login', { user_name: name, password });
    expect(answer.statusCode, name).to.equal(303);
    return browser;
  }
  const cookieOf = (browser) => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  async function newToken(name, scopes) {
    const basic = { ...site.users[name], method: 'basic' };
    return (await site.make(basic, 'POST', `/users/${name}/tokens`, { name: scopes.join(' '), scopes })).sha1;
  }
  const hidden = () => site.places.find(({ owner, isPrivate }) => owner === 'owner' && isPrivate);

  it('token scope bypass: in no form does a token read a repository, package or account without their category', async () => {
    const wrong = [];
    const basic = (text) => `Basic ${Buffer.from(text).toString('base64')}`;
    const secret = await newToken('owner', ['write:misc']);
    const forms = {
      'token header': { authorization: `token ${secret}` },
      bearer: { authorization: `Bearer ${secret}` },
      'password of basic': { authorization: basic(`owner:${secret}`) },
      'name of basic': { authorization: basic(`${secret}:x-oauth-basic`) },
      address: {},
    };
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      if (!/\{(owner|org|username|repo)\W/.test(route.path)) continue;
      const url = fill(route.path, hidden());
      for (const [form, headers] of Object.entries(forms)) {
        const address = `${url}?${form === 'address' ? `token=${secret}&` : ''}service=git-upload-pack`;
        const { status, text } = await site.as(undefined, 'GET', address, undefined, headers);
        if (status >= 500) wrong.push(`${url} with ${form} → ${status}`);
        if (!url.includes('hidden') && scopesOf(route).length === 0) continue;
        if (status < 300 && (text.includes(canary) || scopesOf(route).length > 0))
          wrong.push(`${url} with ${form} → ${status}`);
      }
    }
    const at = `/api/packages/owner/generic/${canary}/1.0/file.bin`;
    await site.as(site.users.owner, 'PUT', at, 'content');
    for (const [form, headers] of Object.entries(forms).filter(([form]) => form !== 'address'))
      for (const [method, body] of [
        ['PUT', 'changed'],
        ['DELETE', undefined],
        ['GET', undefined],
      ]) {
        const { status } = await site.as(undefined, method, at, body, headers);
        if (![401, 403].includes(status)) wrong.push(`${method} of a package with ${form} → ${status}`);
      }
    expect(shown(wrong)).to.equal([]);
  });

  it('token scope bypass: what tokens can send to a thing asks for a category', () => {
    // what everybody sees of an account; rendering; formats of packages, tried above; SCIM, whose tokens are its own
    const open = /^\/\{username\}\.(keys|png|gpg)$|^\/user\/avatar\/|\/(markup|markdown)$|^\/(api\/packages|scim)\//;
    const wrong = routes
      .filter((route) => surfaceOf(route) !== 'page' && route.access.resource && !open.test(route.path))
      .filter((route) => scopesOf(route).length === 0)
      .map(({ method, path }) => `${method} ${path}`);
    expect(wrong).to.equal([]);
  });

  it('mass assignment: fields of the administration are taken from nobody else', () => {
    const forbidden = [
      'is_admin',
      'admin',
      'owner_id',
      'user_id',
      'creator_id',
      'actor_id',
      'organization_id',
      'org_id',
      'repo_id',
      'repository_id',
      'is_active',
      'active',
      'is_restricted',
      'restricted',
      'prohibit_login',
      'must_change_password',
      'source_id',
      'login_name',
      'is_verified',
      'verified',
      'password_hash',
      'created_at',
      'updated_at',
      'last_login',
      'allow_git_hook',
      'allow_import_local',
      'max_repo_creation',
      'authorization',
      'gives_access',
      '__proto__',
      'constructor',
    ];
    const wrong = [];
    let checked = 0;
    for (const route of routes) {
      const schema = route.request?.payload;
      const keys = schema?.describe().keys;
      // forms without a schema are read field by field: the next test sends them
      if (!keys || route.access.actor === 'admin' || route.path === '/-/markup') continue;
      checked++;
      // webhooks are switched on and off
      const own = /\/hooks(\/|$)/.test(route.path) ? ['active'] : [];
      const isForbidden = (key) => forbidden.includes(key) && !own.includes(key);
      const known = Object.keys(keys).filter(isForbidden);
      if (known.length) wrong.push(`${route.method} ${route.path} takes ${known.join(', ')}`);
      const sent = JSON.parse(`{${forbidden.map((key) => `"${key}":1`).join(',')}}`);
      const { value } = schema.validate(sent, { convert: true, allowUnknown: true, stripUnknown: true });
      const kept = Object.keys(value ?? {}).filter(isForbidden);
      // what is refused altogether reaches nobody
      const { error } = schema.validate(sent, { allowUnknown: true, stripUnknown: true });
      if (!error && kept.length) wrong.push(`${route.method} ${route.path} hands on ${kept.join(', ')}`);
    }
    expect(checked).to.be.above(60);
    expect(shown(wrong)).to.equal([]);
  });

  it('mass assignment: forms and bodies change nothing but what they are about', async () => {
    const extra = {
      id: 1,
      owner_id: 1,
      user_id: 1,
      is_admin: true,
      admin: true,
      isAdmin: true,
      restricted: false,
      is_active: true,
      source_id: 3,
      login_name: 'root',
      email: 'root@example.com',
      owner: 'root',
      full_name: 'x',
      created_at: 1,
      visibility: 'public',
    };
    const { outsider, root } = site.users;
    const own = async () => (await site.as(root, 'GET', '/api/v1/users/outsider')).json;
    const was = await own();
    await site.make(outsider, 'PATCH', '/user/settings', { ...extra, description: 'said' });
    const repo = await site.make(outsider, 'POST', '/user/repos', { ...extra, name: 'assigned' });
    expect([repo.owner.login, repo.id > 1]).to.equal(['outsider', true]);
    const changed = await site.make(outsider, 'PATCH', '/repos/outsider/assigned', { ...extra, description: 'x' });
    expect([changed.id, changed.owner.login]).to.equal([repo.id, 'outsider']);
    const org = await site.make(outsider, 'POST', '/orgs', { ...extra, username: 'assigned-org' });
    expect((await site.as(root, 'GET', `/api/v1/orgs/${org.username}/members`)).json.map((one) => one.login)).to.equal([
      'outsider',
    ]);
    const key = await site.as(outsider, 'POST', '/api/v1/user/emails', { ...extra, emails: ['more@example.com'] });
    expect(key.status).to.equal(201);
    const browser = await signedIn('outsider');
    for (const path of ['/user/settings', '/user/settings/account', '/user/settings/appearance']) {
      await browser.go(path);
      const fields = Object.fromEntries(Object.entries(extra).map(([name, value]) => [name, String(value)]));
      await browser.submit(path, { ...fields, name: 'outsider', user_name: 'outsider' });
    }
    const is = await own();
    for (const field of [
      'id',
      'login',
      'is_admin',
      'source_id',
      'login_name',
      'email',
      'restricted',
      'active',
      'created',
    ])
      expect(is[field], field).to.equal(was[field]);
  });

  it('open redirects: no parameter of any page leads to another site', async () => {
    const wrong = [];
    const names =
      'redirect_to redirect redirect_uri next after return_to returnTo url continue to goto back ref link'.split(' ');
    const targets = [
      `https://${evil}/`,
      `//${evil}/`,
      `/\\${evil}`,
      `/%5c${evil}`,
      `/%09/${evil}`,
      `https:${evil}`,
      `/..//${evil}`,
      `javascript:alert(1)//${evil}`,
    ];
    const browser = await signedIn('outsider');
    const cookie = cookieOf(browser);
    const origin = 'http://localhost:3000';
    const ask = async (route, target, headers) => {
      const query = names.map((name) => `${name}=${encodeURIComponent(target)}`).join('&');
      const url = `${fill(route.path, site.places[0])}?${query}`;
      const answer = await site.as(undefined, 'GET', url, undefined, {
        ...headers,
        referer: `https://${evil}/`,
        'x-forwarded-host': evil,
      });
      return { url, ...answer };
    };
    const check = ({ url, status, headers, text }) => {
      if (status >= 500) wrong.push(`${url} → ${status}`);
      for (const name of ['location', 'refresh']) {
        const value = headers[name];
        if (!value) continue;
        let host = evil;
        try {
          host = new URL(String(value).replace(/^\d+;\s*url=/, ''), origin).hostname;
        } catch {
          /* it leads nowhere */
        }
        if (host.endsWith(evil)) wrong.push(`${url} → ${name}: ${value}`);
      }
      const link = new RegExp(
        `(href|action|src|content)="(https?:|javascript:|/\\\\|//)[^"]*${evil.replace('.', '\\.')}`,
      ).exec(text);
      if (link) wrong.push(`${url} has ${link[0]}`);
    };
    let led = 0;
    for (const [index, route] of routes.filter((one) => one.method === 'GET').entries()) {
      if (route.path === '/user/logout') continue;
      for (const headers of [{}, { cookie }]) {
        // a page that takes a place of this server from none of them takes none of another: there one target is enough
        const { headers: sent, text } = await ask(route, tame, headers);
        const isLed = `${sent.location} ${sent.refresh} ${text}`.includes(tame.slice(1));
        if (isLed) led++;
        const turn = targets[index % targets.length];
        for (const target of isLed ? targets : [turn]) check(await ask(route, target, headers));
      }
    }
    expect(led).to.be.above(5);
    expect(shown([...new Set(wrong)])).to.equal([]);
  });

  it('forged requests: nothing is written with the cookie of a session alone', async () => {
    const wrong = [];
    const browser = await signedIn('root');
    const cookie = cookieOf(browser);
    await browser.go('/user/settings');
    const csrf = browser.csrf;
    let asked = 0;
    for (const route of routes) {
      const { access } = route;
      if (isReading(route) || access.ownCredentials) continue;
      const url = fill(route.path, site.places[0]);
      const isForm = route.payload?.as === 'form' || surfaceOf(route) === 'page';
      const body = isForm ? '' : '{}';
      const type = { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' };
      const tries = [
        ['from another site', { 'sec-fetch-site': 'cross-site', 'x-csrf-token': csrf }],
        ['from another origin', { origin: `https://${evil}`, 'x-csrf-token': csrf }],
        ['without a token', {}],
        ['with a token of somebody else', { 'x-csrf-token': 'x'.repeat(csrf.length) }],
      ];
      for (const [title, headers] of tries) {
        asked++;
        const status = await site.probe(undefined, route.method, url, body, { cookie, ...type, ...headers });
        if (status === reached && !route.noCsrf && site.reachedBy().kind !== 'anonymous')
          wrong.push(`${route.method} ${url} ${title}`);
      }
    }
    expect(asked).to.be.above(300);
    expect(shown(wrong)).to.equal([]);
    // those that need none change nothing, hold a sealed word of their own, or what a provider has signed
    expect(routes.filter((route) => route.noCsrf).map(({ path }) => path)).to.equal([
      '/markdown',
      '/notifications/unsubscribe/{token}',
      '/user/saml/{source}/acs',
    ]);
  });

  it('private data through ETags: who may not see it learns nothing from what it has', async () => {
    const wrong = [];
    const { owner, outsider, restricted } = site.users;
    let tagged = 0;
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      if (!route.path.includes('{repo')) continue;
      const url = fill(route.path, hidden());
      const { status, headers } = await site.as(owner, 'GET', url);
      if (status !== 200) continue;
      const conditions = { 'if-none-match': headers.etag ?? '*', 'if-modified-since': new Date().toUTCString() };
      if (headers.etag) tagged++;
      const isShared = /public/.test(headers['cache-control'] ?? '') && !/no-cache/.test(headers['cache-control']);
      if (isShared) wrong.push(`${url} may be kept by proxies: ${headers['cache-control']}`);
      for (const actor of [site.actors.anonymous.actor, outsider, restricted]) {
        const answer = await site.as(actor, 'GET', url, undefined, conditions);
        if (answer.status === 304 || answer.status === 200 || answer.headers.etag)
          wrong.push(`${url} as ${actor.name} → ${answer.status} ${answer.headers.etag ?? ''}`);
      }
    }
    expect(tagged).to.be.above(0);
    expect(shown(wrong)).to.equal([]);
  });

  it('private data through error texts: what is hidden reads like what is not there', async () => {
    const wrong = [];
    const { outsider } = site.users;
    const plain = (text, place) =>
      ['owner', 'repo', 'org', 'username']
        .reduce((all, name) => (place[name] ? all.replaceAll(String(place[name]), 'X') : all), text)
        .replace(/nonce="[^"]*"|name="_csrf" value="[^"]*"|redirect_to=[^"]*|X-Request-Id[^"]*|[0-9a-f-]{36}/gi, '');
    const missing = { owner: 'owner', repo: `gone-${canary}`, org: `goneorg-${canary}`, username: `gone-${canary}` };
    const there = { owner: 'owner', repo: `hidden-${canary}`, org: organizations.private, username: people.private };
    for (const route of routes) {
      if (
        !['repositories.repository', 'organizations.organization', 'accounts.user'].includes(route.access.resource?.id)
      )
        continue;
      for (const actor of [site.actors.anonymous.actor, outsider]) {
        const ask = async (place) => {
          const answer = await site.as(actor, route.method, fill(route.path, place), isReading(route) ? undefined : {});
          return { status: answer.status, text: plain(answer.text, place) };
        };
        const [one, other] = [await ask(there), await ask(missing)];
        if (one.status !== other.status || one.text !== other.text)
          wrong.push(
            `${route.method} ${route.path} as ${actor.name || 'nobody'}: ${one.status} ${one.text.slice(0, 100)} | ${other.status} ${other.text.slice(0, 100)}`,
          );
      }
    }
    expect(shown(wrong)).to.equal([]);
  });

  it('account takeover by a reused number: no table hands out the number of a deleted row again', async () => {
    const tables = await site.host.database
      .knex()('sqlite_master')
      .select('name', 'sql')
      .where('type', 'table')
      .whereNot('name', 'like', 'sqlite_%');
    // of an index over texts SQLite makes tables of its own
    const indexes = tables.filter(({ sql }) => /^create virtual table/i.test(sql)).map(({ name }) => `${name}_`);
    const reused = tables
      .filter(({ name }) => !indexes.some((prefix) => name.startsWith(prefix)))
      .filter(({ sql }) => /[`"]?id[`"]? integer [^,]*primary key/i.test(sql) && !/autoincrement/i.test(sql))
      // rows of its own account: the number is that of the account
      .map(({ name }) => name);
    expect(reused).to.equal([]);
  });

  it('private data through renamed things: an old name leads only those on who may see the new one', async () => {
    const { users, make } = site;
    const { chief, owner, root } = users;
    await make(owner, 'POST', '/user/repos', { name: 'oldrepo', private: true, auto_init: true });
    await make(owner, 'PATCH', '/repos/owner/oldrepo', { name: `newrepo-${canary}` });
    await make(chief, 'POST', '/orgs', { username: 'oldorg', visibility: 'private' });
    await make(chief, 'POST', '/orgs/oldorg/rename', { new_name: `neworg-${canary}` });
    await make(root, 'POST', '/admin/users', {
      username: 'oldname',
      email: 'oldname@example.com',
      password,
      visibility: 'private',
      must_change_password: false,
    });
    await make(root, 'POST', '/admin/users/oldname/rename', { new_username: `newname-${canary}` });
    const wrong = [];
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      if (!/\{(owner|org|username)\W/.test(route.path)) continue;
      for (const [where, place] of [
        ['repository', { owner: 'owner', repo: 'oldrepo' }],
        ['account', { owner: 'oldname', repo: 'oldrepo' }],
        ['organization', { owner: 'oldorg', repo: 'oldrepo' }],
      ]) {
        if (where === 'repository' && !route.path.includes('{repo')) continue;
        for (const actor of [site.actors.anonymous.actor, users.outsider]) {
          const { status, headers, text } = await site.as(actor, 'GET', fill(route.path, place));
          if (`${headers.location ?? ''}${text}`.includes(canary))
            wrong.push(`${fill(route.path, place)} as ${actor.name || 'nobody'} → ${status} ${headers.location ?? ''}`);
        }
      }
    }
    expect(shown(wrong)).to.equal([]);
  });
});
