import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const user = (id: number, name: string) => ({
  id,
  name,
  lower_name: name,
  type: 0,
  email: `${name}@example.com`,
  avatar: `picture${id}`,
  use_custom_avatar: 1,
  full_name: '',
  is_active: 1,
  created_unix: 1700000000,
});

describe('issue 28: the comparison after a takeover', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const verify = async (more: Record<string, string> = {}) => {
    const before = process.exitCode;
    process.exitCode = 0;
    try {
      const lines = await host.command('takeover verify', { from: source.folder, ...more });
      return { lines, text: lines.join('\n'), code: process.exitCode };
    } finally {
      process.exitCode = before;
    }
  };
  const folder = () => join(source.folder, 'data', 'gitea-repositories', 'ada', 'mill.git');
  const commit = (text: string) => {
    const input = `commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata ${text.length}\n${text}\nM 644 inline a\ndata 1\na\n`;
    execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: folder(), input });
  };
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'repositories', 'auth-token'] });
    source = new SourceFixture();
    source.rows('user', user(7, 'ada'), user(9, 'ben'));
    source.rows('email_address', { id: 4, uid: 80, email: 'lost@example.com', is_activated: 1, is_primary: 1 });
    source.rows('repository', { id: 40, owner_id: 7, owner_name: 'ada', name: 'mill', lower_name: 'mill' });
    mkdirSync(join(source.folder, 'data', 'avatars'));
    for (const id of [7, 9]) writeFileSync(join(source.folder, 'data', 'avatars', `picture${id}`), `picture of ${id}`);
    mkdirSync(folder(), { recursive: true });
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', folder()]);
    commit('one');
    await take();
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('names no difference but those with a reason, and ends with 0', async () => {
    const { lines, code } = await verify();
    expect(lines).to.include('Nothing differs without a reason.');
    expect(lines).to.include('  1 with reason: user_id refers to a row of accounts.users that was not taken over');
    expect(code).to.equal(0);
  });

  it('names what has changed, come or gone there since the last pass, and ends with 1', async () => {
    source.run(`update "user" set full_name = 'Ben' where id = 9`);
    source.run('delete from "email_address"');
    source.rows('user', user(12, 'cleo'));
    const { text, code } = await verify();
    expect(text).to.contain('1 differ: it has changed there since the last pass (9,0)');
    expect(text).to.contain('1 differ: not taken over yet (12,0)');
    expect(code).to.equal(1);
    await take();
    source.run('delete from "user" where id = 12');
    expect((await verify()).text).to.contain('1 differ: it is gone there and still here (12,0)');
  });

  it('names columns that differ, and rows that are gone here', async () => {
    await host.database.write(async () => {
      await host.database.knex()('user').where('id', 9).update({ full_name: 'Another' });
      await host.database.knex()('repository').where('id', 40).delete();
    });
    const { text, code } = await verify();
    expect(text).to.contain('1 differ: user.full_name (9,0)');
    expect(text).to.contain('1 differ: it is gone from repository (40,0)');
    expect(code).to.equal(1);
  });

  it('compares references of repositories and files', async () => {
    commit('two');
    writeFileSync(join(source.folder, 'data', 'avatars', 'picture9'), 'another picture');
    const { text } = await verify();
    expect(text).to.match(/1 differ: refs\/heads\/main of code: [0-9a-f]{40} there, [0-9a-f]{40} here \(40,0\)/);
    expect(text).to.contain('1 differ: user.avatar (9,0)');
    expect(text).to.contain('1 differ: a file is missing (9,0)');
  });

  it('writes its report as JSON where a file is named', async () => {
    source.rows('user', user(12, 'cleo'));
    const file = join(host.workDir, 'report.json');
    await verify({ report: file });
    const report = JSON.parse(readFileSync(file, 'utf8'));
    expect(report.differences).to.equal(1);
    expect(report.kinds.find((entry: { kind: string }) => entry.kind === 'accounts.users')).to.equal({
      kind: 'accounts.users',
      compared: 3,
      differences: [{ what: 'not taken over yet', count: 1, examples: ['12,0'] }],
      reasons: [{ reason: 'the avatar of user 12 cannot be read', count: 1 }],
    });
  });

  describe('through the API of both servers', () => {
    let other: Server;
    let users: readonly Record<string, unknown>[];
    beforeEach(async () => {
      other = createServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
        const isFirst = searchParams.get('page') === '1';
        if (request.headers.authorization !== 'token abc') response.statusCode = 401;
        response.setHeader('content-type', 'application/json');
        if (pathname === '/api/v1/admin/users') response.end(JSON.stringify(isFirst ? users : []));
        else if (pathname === '/api/v1/repos/search') response.end(JSON.stringify({ ok: true, data: [] }));
        else response.end('[]');
      });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => void other.close());
    const url = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

    it('names fields that differ and entries that only one has', async () => {
      users = [
        { id: 7, login: 'ada', html_url: `${url()}/ada`, created: '2023-11-14T22:13:20Z' },
        { id: 13, login: 'dora', html_url: `${url()}/dora`, created: '2023-11-14T22:13:20Z' },
      ];
      const here = createServer((request, response) => {
        const isUsers = request.url?.startsWith('/api/v1/admin/users?page=1&');
        const ada = { id: 7, login: 'Ada', html_url: `${ours}/ada`, created: '2023-11-14T22:13:20+00:00' };
        response.end(JSON.stringify(isUsers ? [ada] : []));
      });
      await new Promise<void>((resolve) => here.listen(0, '127.0.0.1', resolve));
      const ours = `http://127.0.0.1:${(here.address() as AddressInfo).port}`;
      try {
        const { text, code } = await verify({ url: url(), token: 'abc', ownUrl: ours });
        expect(text).to.contain('API: users: 2 compared');
        expect(text).to.contain('1 differ: field login (/admin/users 7)');
        expect(text).to.contain('1 differ: missing here (/admin/users 13)');
        expect(text).to.not.contain('field html_url');
        expect(text).to.not.contain('field created');
        expect(code).to.equal(1);
      } finally {
        here.close();
      }
    });

    it('needs a token that the other server takes', async () => {
      await expect(verify({ url: url() })).to.reject(/go together/);
      await expect(verify({ url: url(), token: 'wrong', ownUrl: url() })).to.reject(/refuses the token/);
    });
  });
});
