// What pages of issues and pull requests cost when somebody has written elsewhere: at most ten statements for each.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHost } from '@mortise/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pluginNames } from '../support/plugin-names.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const home = '/api/v1/repos/owner/main';
const pages = [
  '/issues',
  '/pulls',
  '/owner/main/issues',
  '/owner/main/pulls',
  '/owner/main/issues/1',
  '/owner/main/pulls/5',
];

describe('statements of pages', { timeout: 300_000, skip: process.env.MORTISE_TEST_ENGINE === 'mysql' }, () => {
  let host;
  let folder;
  let statements = [];
  const actors = {};
  const as = async (name, method, url, payload) => {
    const answer = await host.inject({
      method,
      url,
      payload: payload && JSON.stringify(payload),
      headers: payload ? { 'content-type': 'application/json' } : {},
      app: { mortiseActor: actors[name] },
    });
    expect(answer.statusCode, `${method} ${url} ${answer.payload.slice(0, 200)}`).to.be.below(400);
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-pages-'));
    host = await createHost({
      workDir: folder,
      environment: {},
      plugins: pluginNames(),
      settings: {
        server: { HTTP_PORT: 0, HTTP_ADDR: '127.0.0.1', WORKERS: 1 },
        security: { SECRET_KEY: 'ab'.repeat(32) },
      },
      logLevel: 'none',
      actorOf: (app) => app?.mortiseActor,
      onStatement: (sql) => statements.push(sql),
    });
    await host.start({ background: false });
    for (const [at, name] of ['owner', 'other'].entries()) {
      const email = `${name}@example.com`;
      await host.runCommand('admin user create', { username: name, password: 'Tr1cky-passw0rd!', email }, () => {});
      const plain = { isAdmin: false, isRestricted: false, method: 'test', publicOnly: false };
      actors[name] = { kind: 'user', id: at + 1, name, ...plain };
    }
    await as('owner', 'POST', '/api/v1/user/repos', { name: 'main', auto_init: true, default_branch: 'main' });
    await as('owner', 'PUT', `${home}/collaborators/other`, { permission: 'write' });
    await as('owner', 'POST', `${home}/labels`, { name: 'bug', color: '#ff0000' });
    await as('owner', 'POST', `${home}/milestones`, { title: 'one' });
    const more = { body: '- [ ] x @other #1', labels: [1], milestone: 1, assignees: ['other'] };
    for (let n = 0; n < 4; n++) await as('owner', 'POST', `${home}/issues`, { title: `Issue ${n}`, ...more });
    for (let n = 0; n < 12; n++) await as('other', 'POST', `${home}/issues/1/comments`, { body: `hello ${n} #2` });
    const file = { content: 'YQo=', message: 'm', branch: 'main', new_branch: 'topic' };
    await as('other', 'POST', `${home}/contents/a.txt`, file);
    await as('other', 'POST', `${home}/pulls`, { title: 'Pull', head: 'topic', base: 'main', assignees: ['owner'] });
    const comments = [{ path: 'a.txt', body: 'x', new_position: 1 }];
    await as('owner', 'POST', `${home}/pulls/5/reviews`, { event: 'APPROVED', body: 'good', comments });
    await host.events.deliverAll();
  });
  after(async () => {
    await host?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('each costs no more than it must', async () => {
    const problems = [];
    for (const page of pages)
      for (const name of ['owner', 'other']) {
        await as(name, 'GET', page);
        await as('other', 'POST', `${home}/issues/3/comments`, { body: 'elsewhere' });
        statements = [];
        await as(name, 'GET', page);
        const made = [...statements];
        if (made.length === 0) problems.push(`${page}: no statement at all`);
        if (made.length > 10)
          problems.push(`${page}: ${made.length}\n  ${made.map((sql) => sql.slice(0, 160)).join('\n  ')}`);
      }
    expect(problems.join('\n')).to.equal('');
  });
});
