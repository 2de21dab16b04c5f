import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';
import { git, SourceRepositories } from './source-git.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };

interface ApiReview {
  readonly id: number;
  readonly state: string;
  readonly user: { readonly login: string } | null;
  readonly stale: boolean;
  readonly dismissed: boolean;
}

describe('issue 28: pull requests of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  let repositories: SourceRepositories;
  /** Commits by what they say. */
  const commits: Record<string, string> = {};
  const take = () => host.command('takeover', { from: source.folder });
  const api = async (method: string, path: string, payload?: object) =>
    host.as({ id: 7, name: 'ada' }).inject({
      method,
      url: `/api/v1/repos/ada/mill${path}`,
      ...(payload && { payload }),
    });
  const get = async (path: string) => (await api('GET', path)).json;
  const setHead = (number: number, oid: string) =>
    git(repositories.folder('ada/mill'), 'update-ref', `refs/pull/${number}/head`, oid);

  /** One row of each of both tables; the id of the pull request is another than that of its issue. */
  function makePull(
    number: number,
    columns: Record<string, string | number | null>,
    issue: Record<string, string | number> = {},
  ) {
    source.rows('issue', {
      ...{
        id: 100 + number,
        repo_id: 40,
        index: number,
        is_pull: 1,
        name: `Change ${number}`,
        content: 'Why',
        is_closed: 0,
      },
      ...{ poster_id: 9, ...time, ...issue },
    });
    source.rows('pull_request', {
      ...{ id: 200 + number, issue_id: 100 + number, index: number, type: 0, status: 2, flow: 0, base_repo_id: 40 },
      ...{ head_repo_id: 40, head_branch: 'side', base_branch: 'trunk', merge_base: commits.first!, has_merged: 0 },
      ...{ merged_commit_id: '', merger_id: 0, merged_unix: 0, allow_maintainer_edit: 0, ...columns },
    });
  }

  beforeEach(async () => {
    host = await startHost({
      plugins: [
        'takeover',
        'organizations',
        'issues',
        'pulls',
        'reviews',
        'branch-protection',
        'forks',
        'editor',
        'files',
      ],
    });
    source = new SourceFixture();
    repositories = new SourceRepositories(source);
    const user = { type: 0, is_active: 1, visibility: 0, ...time };
    source.rows(
      'user',
      { id: 7, lower_name: 'ada', name: 'ada', email: 'ada@example.com', ...user },
      { id: 9, lower_name: 'ben', name: 'ben', email: 'ben@example.com', ...user },
    );
    const repository = { lower_name: 'mill', name: 'mill', default_branch: 'trunk', ...time };
    source.rows(
      'repository',
      { id: 40, owner_id: 7, owner_name: 'ada', is_fork: 0, fork_id: 0, ...repository },
      { id: 41, owner_id: 9, owner_name: 'ben', is_fork: 1, fork_id: 40, ...repository },
    );
    [40, 41].forEach((id) =>
      source.rows(
        'repo_unit',
        { id: id * 10, repo_id: id, type: 1, config: null },
        {
          id: id * 10 + 1,
          repo_id: id,
          type: 3,
          config: '{"AllowMerge":true,"AllowSquash":true,"DefaultMergeStyle":"merge"}',
        },
      ),
    );
    commits.first = repositories.make('ada/mill');
    commits.side = repositories.commit('ada/mill', 'side', 'side', commits.first);
    repositories.make('ben/mill');
    git(repositories.folder('ben/mill'), 'fetch', '-q', repositories.folder('ada/mill'), '+refs/heads/*:refs/heads/*');
    commits.forked = repositories.commit('ben/mill', 'forked', 'topic', commits.first);
    git(repositories.folder('ada/mill'), 'fetch', '-q', repositories.folder('ben/mill'), 'topic:refs/pull/2/head');
    setHead(1, commits.side);
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('open ones show what they change, from branches, forks, forks that are gone, and topics', async () => {
    makePull(1, { allow_maintainer_edit: 1 });
    makePull(2, { head_repo_id: 41, head_branch: 'topic' });
    makePull(3, { head_repo_id: 77, head_branch: 'gone' }, { name: 'WIP: Change 3' });
    makePull(4, { flow: 1, head_branch: 'ben/cups' });
    makePull(5, { head_branch: 'side' });
    setHead(3, commits.side!);
    setHead(4, commits.side!);
    const lines = await take();
    expect(lines).to.include('pulls.pulls: 5 read, 5 written, 0 unchanged, 0 removed, 0 skipped');
    expect(lines).to.include('pull request 5 of repository 40 has no commits');
    expect(await get('/pulls/1')).to.include({
      ...{ id: 101, number: 1, title: 'Change 1', body: 'Why', state: 'open', merged: false, draft: false },
      ...{ merge_base: commits.first, changed_files: 1, additions: 1, deletions: 1, allow_maintainer_edit: true },
      created_at: '2023-11-14T22:13:20Z',
    });
    expect((await get('/pulls/1')).head).to.include({ ref: 'side', sha: commits.side, repo_id: 40 });
    expect((await get('/pulls/2')).head).to.include({ ref: 'topic', sha: commits.forked, repo_id: 41 });
    const gone = await get('/pulls/3');
    expect(gone).to.include({ draft: true, mergeable: false });
    expect(gone.head).to.include({ ref: 'refs/pull/3/head', sha: commits.side, repo_id: 0, repo: null });
    expect((await get('/pulls/4')).head).to.include({ ref: 'refs/pull/4/head', sha: commits.side });
    const topic = await host.database.knex()('pull_request').where('issue_id', 104).first();
    expect(topic).to.include({ flow: 'agit', head_branch: 'cups', topic_owner_id: 9 });
    expect((await get('/pulls/1/commits')).map(({ sha }: { sha: string }) => sha)).to.equal([commits.side]);
    expect((await get('/pulls/1/files')).map(({ filename }: { filename: string }) => filename)).to.equal(['README.md']);
    expect((await api('GET', '/pulls/1.diff')).payload).to.contain('+side');
    const page = await host.as({ id: 7, name: 'ada' }).inject('/ada/mill/pulls/1/files');
    expect(page.statusCode).to.equal(200);
    expect(page.payload).to.contain('README.md');
    const second = await take();
    expect(second).to.include('pulls.pulls: 5 read, 0 written, 5 unchanged, 0 removed, 0 skipped');
    expect(await host.database.knex()('pull_version').where('issue_id', 101).pluck('number')).to.equal([1]);
  });

  it('merged ones keep what they brought, however they were merged', async () => {
    const { first, side } = commits as { first: string; side: string };
    const merge = repositories.commit('ada/mill', 'side', 'trunk', first, side);
    const merged = { has_merged: 1, merger_id: 7, merged_unix: 1700000005, merge_base: first };
    makePull(1, { ...merged, merged_commit_id: merge }, { is_closed: 1 });
    // fast forward: the merge is the head itself
    makePull(2, { ...merged, merged_commit_id: side, status: 3, merger_id: 77 }, { is_closed: 1 });
    setHead(2, side);
    makePull(3, {}, { is_closed: 1 });
    setHead(3, side);
    await take();
    for (const number of [1, 2, 3]) {
      expect(await get(`/pulls/${number}`), `${number}`).to.include({
        merge_base: first,
        changed_files: 1,
        state: 'closed',
      });
      expect((await get(`/pulls/${number}/commits`)).map(({ sha }: { sha: string }) => sha)).to.equal([side]);
    }
    expect(await get('/pulls/1')).to.include({
      merged: true,
      merge_commit_sha: merge,
      merged_at: '2023-11-14T22:13:25Z',
    });
    expect((await get('/pulls/1')).merged_by.login).to.equal('ada');
    expect((await get('/pulls/2')).merged_by.login).to.equal('Ghost');
    expect(await get('/pulls/3')).to.include({ merged: false, merge_commit_sha: null, merged_at: null });
    expect((await get(`/commits/${merge}/pull`)).number).to.equal(1);
  });

  it('an open one is merged, and follows what is pushed there and here', async () => {
    makePull(1, {});
    source.rows('pull_auto_merge', {
      ...{
        id: 3,
        pull_id: 201,
        doer_id: 7,
        merge_style: 'squash',
        message: "Merge 'side'\n\nAll of it",
        created_unix: 1700000000,
      },
    });
    await take();
    expect(await host.database.knex()('auto_merge').first()).to.include({
      ...{
        issue_id: 101,
        user_id: 7,
        head_oid: commits.side,
        style: 'squash',
        title: "Merge 'side'",
        message: 'All of it',
      },
    });
    // a force push there
    const forced = repositories.commit('ada/mill', 'forced', 'side', commits.first!);
    setHead(1, forced);
    await take();
    expect((await get('/pulls/1')).head.sha).to.equal(forced);
    const versions = await host.database
      .knex()('pull_version')
      .where('issue_id', 101)
      .orderBy('number')
      .pluck('head_oid');
    expect(versions).to.equal([commits.side, forced]);
    expect((await api('DELETE', '/pulls/1/merge')).statusCode).to.equal(204);
    // one here
    const changed = await api('PUT', '/contents/README.md', {
      ...{ branch: 'side', message: 'here', content: Buffer.from('here').toString('base64') },
      sha: (await get('/contents/README.md?ref=side')).sha,
    });
    expect(changed.statusCode).to.equal(200);
    await host.settle();
    expect((await get('/pulls/1')).head.sha).to.equal(changed.json.commit.sha);
    const merged = await api('POST', '/pulls/1/merge', { do: 'merge' });
    expect(merged.statusCode).to.equal(200);
    expect(await get('/pulls/1')).to.include({ merged: true, state: 'closed' });
  });

  it('reviews and requests say what they said, and count as they did', async () => {
    makePull(1, {});
    source.rows('user', { id: 12, lower_name: 'guild', name: 'guild', type: 1, visibility: 0, ...time });
    source.rows('org_user', { id: 1, uid: 7, org_id: 12, is_public: 1 });
    source.rows('team', { id: 5, org_id: 12, lower_name: 'crew', name: 'crew', authorize: 1 });
    source.rows('team_user', { id: 1, org_id: 12, team_id: 5, uid: 7 });
    const review = {
      issue_id: 101,
      reviewer_id: 7,
      reviewer_team_id: 0,
      content: '',
      commit_id: commits.side!,
      ...time,
    };
    const marks = { official: 0, stale: 0, dismissed: 0 };
    source.rows(
      'review',
      { id: 1, type: 1, ...review, ...marks, official: 1, content: 'Fine' },
      { id: 2, type: 3, ...review, ...marks, reviewer_id: 9, content: 'No', dismissed: 1, commit_id: commits.first! },
      { id: 3, type: 2, ...review, ...marks, reviewer_id: 9, stale: 1, content: 'Hm', commit_id: commits.first! },
      { id: 4, type: 4, ...review, ...marks, reviewer_id: 9, commit_id: '' },
      { id: 5, type: 4, ...review, ...marks, reviewer_id: 0, reviewer_team_id: 5, commit_id: '' },
      { id: 6, type: 0, ...review, ...marks, content: 'not sent', reviewer_id: 9 },
      { id: 7, type: 2, ...review, ...marks, reviewer_id: 80, content: 'who was that' },
      { id: 8, type: 99, ...review, ...marks },
    );
    source.rows('review_state', {
      ...{ id: 1, user_id: 7, pull_id: 201, commit_sha: commits.side!, updated_files: '{"README.md":2,"b.txt":1}' },
      updated_unix: 1700000000,
    });
    const lines = await take();
    expect(lines).to.include('reviews.reviews: 8 read, 7 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('  1 skipped: reviews of type 99 have no counterpart');
    const reviews: ApiReview[] = await get('/pulls/1/reviews');
    const summary = reviews.map((one) => [one.id, one.state, one.user?.login, one.stale, one.dismissed]);
    expect(summary).to.equal([
      [1, 'APPROVED', 'ada', false, false],
      [2, 'REQUEST_CHANGES', 'ben', false, true],
      [3, 'COMMENT', 'ben', true, false],
      [4, 'REQUEST_REVIEW', 'ben', false, false],
      [5, 'REQUEST_REVIEW', undefined, false, false],
      [7, 'COMMENT', 'Ghost', false, false],
    ]);
    expect(reviews[0]).to.include({
      body: 'Fine',
      official: true,
      commit_id: commits.side,
      submitted_at: '2023-11-14T22:13:20Z',
    });
    const pull = await get('/pulls/1');
    expect(pull.requested_reviewers.map(({ login }: { login: string }) => login).sort()).to.equal(['ada', 'ben']);
    expect(pull.requested_reviewers_teams.map(({ name }: { name: string }) => name)).to.equal(['crew']);
    const viewed = await host.database.knex()('review_viewed_file').select('issue_id', 'user_id');
    expect(viewed).to.equal([{ issue_id: 101, user_id: 7 }]);
    const page = await host.as({ id: 7, name: 'ada' }).inject('/ada/mill/pulls/1/files');
    expect(page.payload).to.match(/checked[^>]*>/);
    expect(await take()).to.include('reviews.reviews: 8 read, 0 written, 7 unchanged, 0 removed, 1 skipped');
  });

  it('comments on lines stand where they stood, in conversations that are resolved and answered', async () => {
    makePull(1, {});
    source.rows('review', {
      ...{
        id: 1,
        type: 2,
        issue_id: 101,
        reviewer_id: 7,
        reviewer_team_id: 0,
        content: 'See',
        commit_id: commits.side!,
      },
      ...{ official: 0, stale: 0, dismissed: 0, ...time },
    });
    const comment = { type: 21, issue_id: 101, review_id: 1, commit_sha: commits.side!, invalidated: 0, ...time };
    const patch = `diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-first\n+side`;
    const line = { tree_path: 'README.md', patch, resolve_doer_id: 0 };
    source.rows(
      'comment',
      { id: 30, ...comment, ...line, poster_id: 7, line: 1, content: 'Why?', resolve_doer_id: 9 },
      { id: 31, ...comment, type: 22, poster_id: 7, content: 'See' },
      { id: 32, ...comment, ...line, poster_id: 9, line: 1, content: 'Because' },
      { id: 33, ...comment, ...line, poster_id: 80, line: -1, content: 'It was better', invalidated: 1 },
      { id: 34, ...comment, ...line, poster_id: 7, line: 1, content: 'lost', review_id: 9 },
      // sent a second time
      { id: 35, ...comment, type: 22, poster_id: 7, content: 'Seen' },
    );
    const lines = await take();
    expect(lines).to.include('reviews.comments: 4 read, 3 written, 0 unchanged, 0 removed, 1 skipped');
    const comments: Record<string, unknown>[] = await get('/pulls/1/reviews/1/comments');
    expect(
      comments.map(({ id, body, position, original_position }) => [id, body, position, original_position]),
    ).to.equal([
      [30, 'Why?', 1, 0],
      [32, 'Because', 1, 0],
      [33, 'It was better', 0, 1],
    ]);
    expect(comments[0]).to.include({
      path: 'README.md',
      commit_id: commits.side,
      diff_hunk: '@@ -1 +1 @@\n-first\n+side',
    });
    expect(comments[0]!.resolver).to.include({ login: 'ben' });
    expect(comments[2]!.user).to.include({ login: 'Ghost' });
    expect((await get('/pulls/1')).review_comments).to.equal(3);
    const rows = await host.database.knex()('review_comment').orderBy('entry_id').select('thread_id', 'is_outdated');
    expect(rows.map((row) => [row.thread_id, Number(row.is_outdated)])).to.equal([
      [30, 0],
      [30, 0],
      [33, 1],
    ]);
    const timeline: Record<string, unknown>[] = await get('/issues/1/timeline');
    expect(timeline.map(({ id, type, body, review_id: review }) => [id, type, body, review])).to.equal([
      [31, 'review', 'See', 1],
      [35, 'review', 'Seen', 1],
    ]);
    const page = await host.as({ id: 7, name: 'ada' }).inject('/ada/mill/pulls/1');
    for (const text of ['Why?', 'Because', 'See', 'Seen']) expect(page.payload).to.contain(text);
    for (const id of [30, 31, 35])
      expect(page.payload.match(new RegExp(`id="issuecomment-${id}"`, 'g'))).to.have.length(1);
    expect((await api('PATCH', '/issues/comments/30', { body: 'Why so?' })).statusCode).to.equal(200);
    expect(await take()).to.include('reviews.comments: 4 read, 0 written, 3 unchanged, 0 removed, 1 skipped');
  });
});
