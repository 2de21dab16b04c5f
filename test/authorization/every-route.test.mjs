// Walks every loaded route as every kind of actor and compares what happens with the access that the route declares
// (design, section 6): what may not be seen is 404, what may be seen but not done 403, no credentials where needed 401
// (pages: 303 to sign-in).
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHost } from '@mortise/core';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const levels = { none: 0, read: 1, write: 2, admin: 3, owner: 4 };
/** GET routes that answer 403 to an owner for reasons of their own, with the reason. */
const ownReasons = new Set([
  // switched off unless the operator wants them, and then for administrators and whom they allow
  '/api/v1/repos/{owner}/{repo}/hooks/git',
  '/api/v1/repos/{owner}/{repo}/hooks/git/{id}',
  '/{owner}/{repo}/settings/git-hooks',
]);

describe('authorization over every route', { timeout: 600_000 }, () => {
  let host;
  let folder;
  const actors = {};

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-authz-'));
    host = await createHost({
      workDir: folder,
      environment: {},
      plugins: readdirSync(join(root, 'plugins')),
      settings: {
        server: { HTTP_PORT: 0, HTTP_ADDR: '127.0.0.1', WORKERS: 1 },
        security: { SECRET_KEY: 'ab'.repeat(32) },
      },
      logLevel: 'none',
      actorOf: (app) => app?.mortiseActor,
    });
    await host.start({ background: false });
    const anonymous = {
      kind: 'anonymous',
      id: 0,
      name: '',
      isAdmin: false,
      isRestricted: false,
      method: '',
      publicOnly: false,
    };
    const user = async (name, isAdmin = false) => {
      await host.runCommand(
        'admin user create',
        { username: name, password: 'Tr1cky-passw0rd!', email: `${name}@example.com`, admin: isAdmin },
        () => {},
      );
      const { json } = await as(
        'root' in actors
          ? actors.root.actor
          : { ...anonymous, kind: 'user', id: 1, name: 'root', isAdmin: true, method: 'test' },
        'GET',
        `/api/v1/users/${name}`,
      );
      return { ...anonymous, kind: 'user', id: json.id, name, isAdmin, method: 'test' };
    };
    actors.anonymous = { actor: anonymous, mode: 'none', open: 'read' };
    actors.root = { actor: await user('root', true), mode: 'owner', open: 'owner' };
    for (const [name, mode] of [
      ['owner', 'owner'],
      ['stranger', 'none'],
      ['reader', 'read'],
      ['writer', 'write'],
      ['keeper', 'admin'],
    ]) {
      actors[name] = { actor: await user(name), mode, open: mode === 'none' ? 'read' : mode };
    }
    const { actor: owner } = actors.owner;
    for (const [repo, hidden] of [
      ['open', false],
      ['hidden', true],
    ]) {
      expect(
        (await as(owner, 'POST', '/api/v1/user/repos', { name: repo, private: hidden, auto_init: true })).statusCode,
      ).to.equal(201);
      for (const [name, permission] of [
        ['reader', 'read'],
        ['writer', 'write'],
        ['keeper', 'admin'],
      ]) {
        expect(
          (await as(owner, 'PUT', `/api/v1/repos/owner/${repo}/collaborators/${name}`, { permission })).statusCode,
        ).to.equal(204);
      }
    }
    actors.powerless = { ...actors.owner, actor: { ...owner, method: 'token', scopes: {} } };
    actors.publicOnly = {
      ...actors.owner,
      actor: {
        ...owner,
        method: 'token',
        publicOnly: true,
        scopes: Object.fromEntries(
          ['activitypub', 'issue', 'misc', 'notification', 'organization', 'package', 'repository', 'user'].map(
            (one) => [one, 'write'],
          ),
        ),
      },
    };
  });
  after(async () => {
    await host?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function as(actor, method, url, payload) {
    const answer = await host.inject({
      method,
      url,
      payload: payload && JSON.stringify(payload),
      headers: payload ? { 'content-type': 'application/json' } : {},
      app: { mortiseActor: actor },
    });
    let json;
    try {
      json = JSON.parse(answer.payload);
    } catch {
      /* not JSON */
    }
    return { ...answer, statusCode: answer.statusCode, json };
  }

  const fill = (path, repo) =>
    path.replace(
      /\{(\w+)[?*\d]*\}/g,
      (_, name) =>
        ({
          owner: 'owner',
          repo,
          username: 'owner',
          template_owner: 'owner',
          template_repo: repo,
          collaborator: 'reader',
          branch: 'main',
          tag: 'none',
          ref: 'main',
          sha: 'main',
          filepath: 'README.md',
          rest: 'branch/main',
          basehead: 'main...main',
          archive: 'main.zip',
        })[name] ?? '1',
    );
  const surfaceOf = (route) => route.surface ?? (route.path.startsWith('/api/v1') ? 'api' : 'page');
  /** Not signed in where it is needed: 401, and a page leads to sign-in. Hidden things answer 404 as well. */
  const asksToSignIn = (route, status) =>
    [401, 404].includes(status) || (surfaceOf(route) === 'page' && [302, 303].includes(status));

  it('every route declares what it needs', () => {
    const routes = host.routes();
    expect(routes.length).to.be.above(150);
    for (const { owner, value } of routes)
      expect(value.access?.actor, `${owner}: ${value.method} ${value.path}`).to.be.a.string();
  });

  it('refuses exactly what the declaration refuses', async () => {
    const wrong = [];
    let checked = 0;
    for (const { value: route } of host.routes()) {
      if (route.method === '*' || route.method === 'OPTIONS') continue;
      const { access } = route;
      const scopes = access.scope === undefined ? [] : [access.scope].flat();
      const onRepository = access.resource?.id === 'repositories.repository';
      for (const repo of onRepository ? ['open', 'hidden'] : ['open']) {
        const url = fill(route.path, repo);
        for (const [name, { actor, mode, open }] of Object.entries(actors)) {
          const call = async () =>
            (await as(actor, route.method, url, ['GET', 'DELETE'].includes(route.method) ? undefined : {})).statusCode;
          const say = (status, why) => wrong.push(`${route.method} ${url} as ${name} → ${status}: ${why}`);
          const have = repo === 'open' ? open : name === 'publicOnly' ? 'none' : mode;
          checked++;
          if (name === 'anonymous' && access.actor !== 'anyone') {
            const status = await call();
            const hides = onRepository && surfaceOf(route) === 'api' && access.actor === 'user' && !access.signInFirst;
            if (hides && status !== (repo === 'hidden' ? 404 : 401)) say(status, 'is hidden, or must sign in');
            else if (!asksToSignIn(route, status)) say(status, 'must sign in');
          } else if (access.actor === 'admin' && !actor.isAdmin) {
            const status = await call();
            if (![401, 403, 404].includes(status)) say(status, 'is for administrators');
          } else if (name === 'powerless' && scopes.length) {
            const status = await call();
            if (![401, 403].includes(status)) say(status, 'has no scope');
          } else if (name === 'publicOnly' && access.noPublicOnly) {
            const status = await call();
            if (![401, 403].includes(status)) say(status, 'is not for public-only tokens');
          } else if (onRepository && have === 'none') {
            const status = await call();
            if (!asksToSignIn(route, status) && !(status === 403 && name === 'publicOnly'))
              say(status, 'must not see it');
          } else if (onRepository && levels[have] < levels[access.mode ?? 'read']) {
            const status = await call();
            if (![401, 403].includes(status) && !(name === 'anonymous' && asksToSignIn(route, status)))
              say(status, `${have} is not ${access.mode}`);
          } else if (route.method === 'GET' && onRepository && ['owner', 'root'].includes(name)) {
            const status = await call();
            if ([401, 403].includes(status) && !ownReasons.has(route.path)) say(status, 'is allowed');
            if (status >= 500) say(status, 'fails');
          } else checked--;
        }
      }
    }
    expect(checked).to.be.above(1000);
    expect(wrong.slice(0, 60)).to.equal([]);
  });
});
