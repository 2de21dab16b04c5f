import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TableMapping } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitStore } from '@mortise/git/api';
import { PageReader } from '../services/page-reader.js';
import { SourceDatabase } from '../services/source-database.js';
import { SourceSettings } from '../services/source-settings.js';
import { SourceFixture } from './source.js';
import { SourceRepositories } from './source-git.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIBUW6ZzpHfYqHYfWN9mmuA1cwd5kq2a4hLwBqV4Lf4bq';
const fingerprint = `SHA256:${createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '')}`;

describe('issue 28: a takeover of rows that are odd or lie', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const rowsOf = (table: string, ...columns: string[]) => host.database.knex()(table).orderBy('id').select(columns);
  beforeEach(async () => {
    host = await startHost({
      plugins: ['takeover', 'organizations', 'issues', 'attachments', 'auth-token', 'webhook-mortise'],
    });
    source = new SourceFixture();
    const user = { is_active: 1, visibility: 0, ...time };
    source.rows(
      'user',
      { id: 7, lower_name: 'ada', name: 'ada', type: 0, email: 'ada@example.com', ...user },
      { id: 8, lower_name: 'mills', name: 'mills', type: 1, ...user },
      { id: 9, lower_name: 'ben', name: 'ben', type: 0, email: 'ben@example.com', ...user },
    );
    source.rows('repository', { id: 40, owner_id: 7, owner_name: 'ada', lower_name: 'mill', name: 'mill', ...time });
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('tokens with words of earlier versions gain nothing by them', async () => {
    const row = { uid: 7, token_salt: 'salt', ...time };
    source.rows(
      'access_token',
      { id: 1, name: 'public', token_hash: '01'.repeat(50), scope: 'public_repo', ...row },
      { id: 2, name: 'sudo', token_hash: '02'.repeat(50), scope: 'sudo', ...row },
      { id: 3, name: 'short', token_hash: '03', scope: 'all', ...row },
    );
    expect(await take()).to.include('  1 skipped: its hash is of an unknown kind');
    const rows = await rowsOf('access_token', 'scopes');
    expect(rows.map(({ scopes }) => JSON.parse(scopes))).to.equal([
      ['write:repository', 'public-only'],
      ['write:admin'],
    ]);
  });

  it('SSH keys have the fingerprint of their content, and deploy keys without one do not come', async () => {
    source.rows(
      'public_key',
      { id: 1, owner_id: 7, type: 1, name: 'old', content: `ssh-ed25519 ${key} ada`, fingerprint: '16:27:ac', ...time },
      { id: 2, owner_id: 7, type: 1, name: 'text', content: 'ssh-ed25519 nonsense', fingerprint: 'SHA256:x', ...time },
      { id: 3, owner_id: 0, type: 2, name: 'robot', content: `ssh-ed25519 ${key}`, fingerprint: 'SHA256:z', ...time },
    );
    source.rows(
      'deploy_key',
      { id: 1, key_id: 3, repo_id: 40, name: 'robot', fingerprint: 'SHA256:z', mode: 1, ...time },
      { id: 2, key_id: 4, repo_id: 40, name: 'gone', fingerprint: 'SHA256:y', mode: 2, ...time },
    );
    const lines = await take();
    expect(lines).to.include(['  1 skipped: it is no key', '  1 skipped: its key is missing, or is none']);
    expect((await rowsOf('public_key', 'id', 'fingerprint')).map(Object.values)).to.equal([[1, fingerprint]]);
    expect((await rowsOf('deploy_key', 'id', 'fingerprint')).map(Object.values)).to.equal([[1, fingerprint]]);
  });

  it('a collaborator whose mode is negative has no rights, and one above the highest administers', async () => {
    source.rows(
      'collaboration',
      { id: 1, repo_id: 40, user_id: 9, mode: -1 },
      { id: 2, repo_id: 40, user_id: 7, mode: 4 },
    );
    await take();
    expect((await rowsOf('collaborator', 'mode')).map(({ mode }) => mode)).to.equal(['none', 'admin']);
  });

  it('teams of versions without modes of units have the mode of the team for each', async () => {
    source.rows('team', { id: 5, org_id: 8, lower_name: 'grinders', name: 'grinders', authorize: 2 });
    source.rows('team_unit', { id: 1, org_id: 8, team_id: 5, type: 1 });
    await take();
    expect(await host.database.knex()('team_unit').select('unit', 'mode')).to.equal([{ unit: 'code', mode: 'write' }]);
  });

  it('a file lies in the repository of its issue, whatever its row says', async () => {
    source.rows('repository', { id: 41, owner_id: 7, owner_name: 'ada', lower_name: 'open', name: 'open', ...time });
    source.rows('issue', { id: 1, repo_id: 40, index: 1, name: 'hidden', poster_id: 7, ...time });
    source.rows('attachment', { id: 1, uuid: 'aa-1', repo_id: 41, issue_id: 1, name: 'plan.txt', size: 0, ...time });
    await take();
    expect((await rowsOf('attachment', 'repository_id')).map(Object.values)).to.equal([[40]]);
  });

  it('a row that its mapping cannot read does not end the pass', async () => {
    const hook = { repo_id: 40, owner_id: 0, type: 'gitea', is_active: 1, events: '{"push_only":true}', ...time };
    source.rows(
      'webhook',
      { id: 1, url: `https://ada:${'x'.repeat(300)}@example.com/`, ...hook },
      { id: 2, url: 'https://example.com/', ...hook },
    );
    source.rows('hook_task', {
      id: 1,
      hook_id: 2,
      is_delivered: 1,
      delivered: 1_700_000_000_000_000_000,
      response_content: '{"status":{"valueOf":1,"toString":1}}',
    });
    const lines = await take();
    expect((await rowsOf('webhook', 'id')).map(({ id }) => id)).to.equal([2]);
    expect(lines.filter((line) => line === '  1 skipped: its values have types that cannot be read')).to.have.length(2);
    expect(lines.at(-1)).to.equal('The pass is complete.');
  });

  it('times beyond the year 9999 can be said by the API', async () => {
    source.rows('issue', { id: 1, repo_id: 40, index: 1, name: 'late', poster_id: 7, created_unix: 1.7e18 });
    await take();
    const [issue] = await rowsOf('issue', 'created_at');
    expect(new Date(issue.created_at).toISOString()).to.equal('9999-12-31T23:59:59.000Z');
  });

  it('the folder of a repository that is refused is not that of the next one made here', async () => {
    await take();
    const made = async (name: string) =>
      (await host.as({ id: 7, name: 'ada' }).inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name } }))
        .json.id as number;
    const next = (await made('wheel')) + 1;
    new SourceRepositories(source).make('ada/wheel');
    const refused = { id: next, owner_id: 7, owner_name: 'ada', lower_name: 'wheel', name: 'wheel', is_private: 1 };
    source.rows('repository', { ...refused, ...time });
    const lines = await take();
    expect(lines).to.include('  1 skipped: another row has the same id or name');
    const without = `the folder of repository ${next} has no repository: it lies in `;
    expect(lines.some((line) => line.startsWith(without))).to.be.true();
    expect(await host.services.get(gitStore).exists(next)).to.be.false();
    expect(await made('wind')).to.be.above(next);
  });

  it('rows beside a row are not read by 0, which nearly all comments have for a review', async () => {
    const comments = Array.from({ length: 50 }, (_, n) => ({ id: n + 1, type: n === 0 ? 21 : 0, review_id: 0 }));
    source.rows('comment', ...comments, { id: 60, type: 21, review_id: 3 }, { id: 61, type: 21, review_id: 3 });
    const related = { thread: { table: 'comment', column: 'review_id', localColumn: 'review_id' } };
    const mapping: TableMapping = { id: 'test.comments', table: 'comment', related, map: () => [] };
    const counts = new Map<number, number>();
    for await (const page of new PageReader(await database()).pages([mapping]))
      for (const { key, row } of (await page.rowsOf(mapping)).rows) counts.set(key[0], row.related('thread').length);
    expect([counts.get(1), counts.get(2), counts.get(60)]).to.equal([0, 0, 2]);
  });

  it('pages of long rows have fewer rows, and each row comes once', async () => {
    const text = 'x'.repeat(100_000);
    source.rows('notice', ...Array.from({ length: 300 }, (_, n) => ({ id: n + 1, description: text })));
    const mapping: TableMapping = { id: 'test.notices', table: 'notice', map: () => [] };
    const pages: number[][] = [];
    for await (const page of new PageReader(await database()).pages([mapping]))
      pages.push((await page.rowsOf(mapping)).rows.map(({ key: [id] }) => id));
    expect(pages.flat()).to.equal(Array.from({ length: 300 }, (_, n) => n + 1));
    expect(pages.map((page) => page.length)).to.equal([100, 41, 41, 41, 41, 36]);
  });

  const database = () => SourceDatabase.open(SourceSettings.open(source.folder));
});
