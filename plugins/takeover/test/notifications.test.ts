import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { redoMigration, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { fillIssues, time } from './issue-source.js';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const sha = 'a'.repeat(40);

describe('issue 28: what people of a server that is taken over are told, have noted and look for', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const as = (id: number, name: string) => host.as({ id, name, isAdmin: id === 7 });
  const get = async (path: string, id = 7, name = 'ada') => (await as(id, name).inject(`/api/v1${path}`)).json;

  beforeEach(async () => {
    host = await startHost({
      plugins: ['takeover', 'organizations', 'issues', 'pulls', 'notifications', 'time-tracking'],
    });
    source = new SourceFixture();
    fillIssues(source);
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('come as notifications of issues, commits and repositories', async () => {
    const of = { user_id: 9, repo_id: 40, issue_id: 0, commit_id: '', comment_id: 0, updated_by: 7, ...time };
    source.rows(
      'notification',
      { id: 1, ...of, source: 1, status: 1, issue_id: 50 },
      { id: 2, ...of, source: 1, status: 3, issue_id: 52 },
      { id: 3, ...of, source: 4, status: 1 },
      { id: 4, ...of, source: 3, status: 2, commit_id: sha },
      { id: 5, ...of, source: 5, status: 1 },
      { id: 6, ...of, source: 1, status: 1, issue_id: 54, updated_by: 66 },
    );
    const lines = await take();
    expect(lines).to.include('notifications.notifications: 6 read, 4 written, 0 unchanged, 0 removed, 2 skipped');
    const threads = await get('/notifications?all=true', 9, 'ben');
    const byId = new Map<number, Record<string, unknown>>(threads.map((one: { id: number }) => [one.id, one]));
    expect(byId.get(1)).to.include({ unread: true, pinned: false, updated_at: '2023-11-14T22:13:21Z' });
    expect(byId.get(1)!.subject).to.include({ title: 'Grain', type: 'Issue' });
    expect(byId.get(2)).to.include({ unread: false, pinned: true });
    expect(byId.get(3)!.subject).to.include({ type: 'Repository' });
    expect(byId.get(4)!.subject).to.include({ type: 'Commit' });
    expect(await get('/notifications/new', 9, 'ben')).to.equal({ new: 2 });
  });

  it('come by mail as they were chosen there', async () => {
    source.run('alter table user add email_notifications_preference');
    source.run("update user set email_notifications_preference = 'onmention' where id = 9");
    await take();
    expect(await host.database.knex()('notification_mail_choice').select('user_id', 'mail')).to.equal([
      { user_id: 9, mail: 'onmention' },
    ]);
  });

  it('are reached by the next pass after the upgrade that renames their tables', async () => {
    source.run('alter table user add email_notifications_preference');
    source.run("update user set email_notifications_preference = 'onmention' where id = 9");
    await take();
    const targets = async () =>
      (await host.database.knex()('takeover_row').where('kind', 'notifications.mail_choices').pluck('targets')).map(
        (text: string) => JSON.parse(text) as unknown,
      );
    const migration = new URL('../migrations/0003_rename_target_tables.js', import.meta.url);
    await redoMigration(host, migration, async () => {
      expect(await targets()).to.equal([[{ table: 'notification_choice', key: { user_id: 9 } }]]);
    });
    expect(await targets()).to.equal([[{ table: 'notification_mail_choice', key: { user_id: 9 } }]]);
    source.run("update user set email_notifications_preference = '' where id = 9");
    await take();
    expect(await host.database.knex()('notification_mail_choice').select()).to.equal([]);
  });

  it('come as tracked times and running stopwatches', async () => {
    source.rows(
      'tracked_time',
      { id: 80, issue_id: 50, user_id: 9, created_unix: 1700000000, time: 5400, deleted: 0 },
      { id: 81, issue_id: 50, user_id: 66, created_unix: 1700000000, time: 60, deleted: 1 },
      { id: 82, issue_id: 99, user_id: 9, created_unix: 1700000000, time: 60, deleted: 0 },
    );
    source.rows('stopwatch', { id: 1, issue_id: 52, user_id: 9, created_unix: 1700000000 });
    const lines = await take();
    expect(lines).to.include('time-tracking.times: 3 read, 2 written, 0 unchanged, 0 removed, 1 skipped');
    const times = await get('/repos/ada/mill/issues/1/times');
    expect(times).to.have.length(1);
    expect(times[0]).to.include({ id: 80, time: 5400, user_name: 'ben', created: '2023-11-14T22:13:20Z' });
    const [watch] = await get('/user/stopwatches', 9, 'ben');
    expect(watch).to.include({ issue_index: 7, issue_title: 'Imported', repo_name: 'Mill' });
  });

  it('is indexed for the search, and again when it changes there', async () => {
    source.rows('comment', { id: 100, type: 0, poster_id: 9, issue_id: 50, content: 'the millstone', ...time });
    await take();
    const ids = async (text: string) =>
      (await get(`/repos/ada/mill/issues?state=all&q=${text}`)).map(({ id }: { id: number }) => id);
    expect(await ids('millstone')).to.equal([50]);
    expect(await ids('imported')).to.equal([52]);
    source.run("update comment set content = 'the sieve' where id = 100");
    await take();
    expect(await ids('millstone')).to.equal([]);
    expect(await ids('sieve')).to.equal([50]);
    source.run('delete from comment');
    await take();
    expect(await ids('sieve')).to.equal([]);
  });
});
