import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { fillIssues, time } from './issue-source.js';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const sha = 'a'.repeat(40);
const pushed = JSON.stringify({ is_force_push: true, commit_ids: [sha, 'b'.repeat(40)] });
const of = (id: number, type: number, more: Record<string, string | number | null> = {}) => ({
  id,
  type,
  poster_id: 9,
  issue_id: 50,
  content: '',
  ...time,
  ...more,
});

/** One of each type that tells of an issue, with what the API says of it beside who and when. */
const types: readonly (readonly [number, Record<string, string | number>, Record<string, unknown>])[] = [
  [0, { content: 'I *agree*' }, { type: 'comment', body: 'I *agree*' }],
  [1, {}, { type: 'reopen' }],
  [2, {}, { type: 'close' }],
  [3, { ref_repo_id: 41, ref_issue_id: 53 }, { type: 'issue_ref', ref_action: 'none' }],
  [
    4,
    { commit_sha: sha, content: `<a href="/sub/ada/mill/commit/${sha}">Grind &lt;fine&gt; &amp; &#39;dry&#39;</a>` },
    { type: 'commit_ref', ref_commit_sha: sha, body: "Grind <fine> & 'dry'" },
  ],
  [5, { ref_issue_id: 51, ref_comment_id: 100 }, { type: 'comment_ref' }],
  [6, { ref_issue_id: 55, ref_action: 1, ref_is_pull: 1 }, { type: 'pull_ref', ref_action: 'closes' }],
  [7, { label_id: 20, content: '1' }, { type: 'label', body: '1' }],
  [8, { milestone_id: 31, old_milestone_id: 30 }, { type: 'milestone' }],
  [9, { assignee_id: 7, removed_assignee: 1 }, { type: 'assignees', removed_assignee: true }],
  [10, { old_title: 'Corn', new_title: 'Grain' }, { type: 'change_title', old_title: 'Corn', new_title: 'Grain' }],
  [12, {}, { type: 'start_tracking' }],
  [13, { time_id: 80, content: '1 hour' }, { type: 'stop_tracking', body: '1 hour' }],
  [14, { time_id: 80, content: '|5400' }, { type: 'add_time_manual', body: '1 hour 30 minutes' }],
  [15, {}, { type: 'cancel_tracking' }],
  [16, { content: '2031-12-24' }, { type: 'added_deadline', body: '2031-12-24' }],
  [17, { content: '2032-01-01|2031-12-24' }, { type: 'modified_deadline', body: '2032-01-01|2031-12-24' }],
  [18, { content: '2032-01-01' }, { type: 'removed_deadline', body: '2032-01-01' }],
  [19, { dependent_issue_id: 51 }, { type: 'add_dependency' }],
  [20, { dependent_issue_id: 51 }, { type: 'remove_dependency' }],
  [23, { content: 'Too heated' }, { type: 'lock', body: 'Too heated' }],
  [24, {}, { type: 'unlock' }],
  [26, { time_id: 81, content: '|60' }, { type: 'delete_time_manual', body: '1 minute' }],
  [33, { old_ref: 'main', new_ref: 'dry' }, { type: 'change_issue_ref', old_ref: 'main', new_ref: 'dry' }],
  [36, {}, { type: 'pin' }],
  [37, {}, { type: 'unpin' }],
  [38, { content: '5400' }, { type: 'change_time_estimate', body: '5400' }],
];
const pullTypes: typeof types = [
  [11, { old_ref: 'dry' }, { type: 'delete_branch', old_ref: 'dry' }],
  [22, { review_id: 4, content: 'Fine' }, { type: 'review', body: 'Fine', review_id: 4 }],
  [25, { old_ref: 'main', new_ref: 'dry' }, { type: 'change_target_branch', old_ref: 'main', new_ref: 'dry' }],
  [27, { assignee_id: 7, review_id: 4 }, { type: 'review_request', removed_assignee: false }],
  [27, { assignee_id: 7, removed_assignee: 1 }, { type: 'review_request', removed_assignee: true }],
  [28, {}, { type: 'merge_pull' }],
  [29, { content: pushed }, { type: 'pull_push', body: pushed }],
  [32, { review_id: 4, content: 'too kind' }, { type: 'dismiss_review', body: 'too kind', review_id: 4 }],
  [34, {}, { type: 'pull_scheduled_merge' }],
  [35, {}, { type: 'pull_cancel_scheduled_merge' }],
];

describe('issue 28: timelines of issues of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const get = async (path: string, id = 7) =>
    (await host.as({ id, name: 'ada', isAdmin: true }).inject(`/api/v1${path}`)).json;

  beforeEach(async () => {
    host = await startHost({
      plugins: ['takeover', 'organizations', 'issues', 'pulls', 'reviews', 'time-tracking', 'projects'],
    });
    source = new SourceFixture();
    fillIssues(source);
    source.rows('issue', {
      id: 55,
      repo_id: 40,
      index: 9,
      name: 'Sieve',
      poster_id: 7,
      is_pull: 1,
      content: '',
      ...time,
    });
    types.forEach(([type, columns], at) => source.rows('comment', of(100 + at, type, columns)));
    source.rows('comment', of(199, 21, { issue_id: 55, review_id: 4, content: 'Why?' }));
    pullTypes.forEach(([type, columns], at) =>
      source.rows('comment', of(200 + at, type, { issue_id: 55, ...columns })),
    );
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('come with every type of comment', async () => {
    await take();
    const entries = await get('/repos/ada/mill/issues/1/timeline');
    expect(entries.map(({ id }: { id: number }) => id)).to.equal(types.map((_type, at) => 100 + at));
    entries.forEach((entry: Record<string, unknown>, at: number) => {
      expect(entry, String(entry.type)).to.include(types[at]![2]);
      expect(entry).to.include({ created_at: '2023-11-14T22:13:20Z', updated_at: '2023-11-14T22:13:21Z' });
      expect((entry.user as { login: string }).login).to.equal('ben');
    });
    const byType = new Map<string, Record<string, Record<string, unknown>>>(
      entries.map((entry: { type: string }) => [entry.type, entry]),
    );
    expect(byType.get('issue_ref')!.ref_issue).to.include({ id: 53 });
    expect(byType.get('comment_ref')!.ref_comment).to.include({ id: 100, body: 'I *agree*' });
    expect(byType.get('label')!.label).to.include({ id: 20 });
    expect(byType.get('milestone')!.milestone).to.include({ id: 31 });
    expect(byType.get('milestone')!.old_milestone).to.include({ id: 30 });
    expect(byType.get('assignees')!.assignee).to.include({ login: 'Ada' });
    expect(byType.get('add_dependency')!.dependent_issue).to.include({ id: 51 });
  });

  it('come with what happened to pull requests', async () => {
    await take();
    const entries = await get('/repos/ada/mill/issues/9/timeline');
    // comments on lines stand below their review
    expect(entries).to.have.length(pullTypes.length);
    entries.forEach((entry: Record<string, unknown>, at: number) =>
      expect(entry, String(entry.type)).to.include(pullTypes[at]![2]),
    );
  });

  it('leave out comments of unknown types and of lost issues', async () => {
    source.rows('comment', of(300, 99), of(301, 0, { issue_id: 98 }), of(303, 0, { poster_id: 66 }));
    source.rows('comment', of(304, 0, { poster_id: -1, original_author: 'carl', original_author_id: 5 }));
    const total = types.length + pullTypes.length + 1;
    const lines = await take();
    expect(lines).to.include(
      `issues.comments: ${total + 4} read, ${total + 2} written, 0 unchanged, 0 removed, 2 skipped`,
    );
    expect(lines).to.include('  1 skipped: comments of type 99 have no counterpart');
    expect((await get('/repos/ada/mill/issues/comments/303')).user.login).to.equal('Ghost');
    expect(await get('/repos/ada/mill/issues/comments/304')).to.include({
      original_author: 'carl',
      original_author_id: 5,
    });
    expect(await take()).to.include(
      `issues.comments: ${total + 4} read, 0 written, ${total + 2} unchanged, 0 removed, 2 skipped`,
    );
  });

  it('come with reactions, earlier texts, dependencies, mentions and subscriptions', async () => {
    source.rows(
      'reaction',
      { id: 1, type: 'heart', issue_id: 50, comment_id: 0, user_id: 9, created_unix: 1700000000 },
      { id: 2, type: '+1', issue_id: 50, comment_id: 100, user_id: 9, created_unix: 1700000000 },
      { id: 3, type: '+1', issue_id: 50, comment_id: 100, user_id: -1, created_unix: 1700000000 },
      { id: 4, type: '+1', issue_id: 50, comment_id: 999, user_id: 9, created_unix: 1700000000 },
    );
    source.run("alter table reaction add original_author; update reaction set original_author = 'carl' where id = 3");
    source.rows(
      'issue_content_history',
      { id: 1, poster_id: 9, issue_id: 50, comment_id: 100, edited_unix: 1700000000, content_text: 'I', is_deleted: 0 },
      { id: 2, poster_id: 9, issue_id: 50, comment_id: 100, edited_unix: 1700000001, content_text: '', is_deleted: 1 },
      {
        id: 3,
        poster_id: 7,
        issue_id: 50,
        comment_id: 0,
        edited_unix: 1700000001,
        content_text: 'Mill',
        is_deleted: 0,
      },
      { id: 4, poster_id: 7, issue_id: 50, comment_id: 999, edited_unix: 1700000001, content_text: 'x', is_deleted: 0 },
    );
    source.rows(
      'issue_dependency',
      { id: 1, user_id: 7, issue_id: 50, dependency_id: 52, ...time },
      { id: 2, user_id: 7, issue_id: 50, dependency_id: 54, ...time },
    );
    source.rows(
      'issue_user',
      { id: 1, uid: 9, issue_id: 52, is_read: 1, is_mentioned: 1 },
      { id: 2, uid: 9, issue_id: 50, is_read: 1, is_mentioned: 0 },
    );
    source.rows(
      'issue_watch',
      { id: 1, user_id: 9, issue_id: 52, is_watching: 1, ...time },
      { id: 2, user_id: 9, issue_id: 50, is_watching: 0, ...time },
    );
    const lines = await take();
    expect(lines).to.include('issues.reactions: 4 read, 3 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('issues.text_versions: 4 read, 2 written, 0 unchanged, 0 removed, 2 skipped');
    expect(lines).to.include('issues.dependencies: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped');
    expect((await get('/repos/ada/mill/issues/1/reactions'))[0]).to.include({ content: 'heart' });
    expect(await get('/repos/ada/mill/issues/comments/100/reactions')).to.have.length(2);
    expect((await get('/repos/ada/mill/issues/1/dependencies')).map(({ id }: { id: number }) => id)).to.equal([52]);
    expect((await get('/repos/ada/mill/issues?mentioned_by=ben')).map(({ id }: { id: number }) => id)).to.equal([52]);
    const ben = { id: 9, name: 'ben' };
    const subscription = async (index: number) =>
      (await host.as(ben).inject(`/api/v1/repos/ada/mill/issues/${index}/subscriptions/check`)).json;
    expect(await subscription(7)).to.include({ subscribed: true });
    expect(await subscription(1)).to.include({ subscribed: false });
    for (const line of (await take()).filter((one) => / read, /.test(one)))
      expect(line).to.match(/, 0 written, .*, 0 removed/);
  });
});
