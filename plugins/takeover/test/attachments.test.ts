import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { fillIssues, time } from './issue-source.js';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const uuid = (letter: string) => `${letter.repeat(8)}-0000-4000-8000-000000000001`;

describe('issue 28: files of issues of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const ada = () => host.as({ id: 7, name: 'ada', isAdmin: true });
  const get = async (path: string) => (await ada().inject(`/api/v1${path}`)).json;

  function write(letter: string, text: string): void {
    const file = join(source.folder, 'data', 'attachments', letter, letter, uuid(letter));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'organizations', 'issues'] });
    source = new SourceFixture();
    fillIssues(source);
    source.rows('comment', { id: 100, type: 0, poster_id: 9, issue_id: 50, content: 'see', ...time });
    const of = { repo_id: 40, issue_id: 50, release_id: 0, uploader_id: 9, created_unix: 1700000000 };
    source.rows(
      'attachment',
      { id: 1, uuid: uuid('a'), ...of, comment_id: 0, name: 'plan.txt', size: 4, download_count: 3 },
      { id: 2, uuid: uuid('b'), ...of, comment_id: 100, name: 'photo.png', size: 5 },
      { id: 3, uuid: uuid('c'), ...of, comment_id: 0, name: 'lost.txt', size: 6 },
      { id: 4, uuid: uuid('d'), ...of, issue_id: 0, comment_id: 0, name: 'draft.txt', size: 6 },
      { id: 5, uuid: uuid('e'), ...of, comment_id: 999, name: 'gone.txt', size: 6 },
      { id: 6, uuid: '../../../../etc/passwd', ...of, comment_id: 0, name: 'passwd', size: 6 },
      { id: 7, uuid: uuid('f'), ...of, issue_id: 0, release_id: 3, comment_id: 0, name: 'tool', size: 6 },
    );
    write('a', 'plan');
    write('b', 'photo');
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('come with their contents, counts and addresses', async () => {
    const lines = await take();
    expect(lines).to.include('attachments.files_of_issues: 4 read, 2 written, 0 unchanged, 0 removed, 2 skipped');
    expect(lines).to.include('attachments.files_of_comments: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped');
    const [plan] = await get('/repos/ada/mill/issues/1/assets');
    expect(plan).to.include({ id: 1, name: 'plan.txt', size: 4, download_count: 3, uuid: uuid('a') });
    const [photo] = await get('/repos/ada/mill/issues/comments/100/assets');
    expect(photo).to.include({ id: 2, name: 'photo.png', uuid: uuid('b') });
    const download = await ada().inject(`/attachments/${uuid('b')}`);
    expect(download.payload).to.equal('photo');
    expect(download.headers.etag).to.contain(createHash('sha256').update('photo').digest('hex'));
    // the one whose file is gone there says so
    expect(lines.join('\n')).to.contain(`${uuid('c')} cannot be read (ENOENT)`);
    expect((await ada().inject(`/attachments/${uuid('c')}`)).statusCode).to.equal(404);
    for (const line of (await take()).filter((one) => / read, /.test(one)))
      expect(line).to.match(/, 0 written, .*, 0 removed/);
  });

  it('come later where only their contents were missing', async () => {
    await take();
    write('c', 'late!!');
    await take();
    expect((await ada().inject(`/attachments/${uuid('c')}`)).payload).to.equal('late!!');
  });
});
