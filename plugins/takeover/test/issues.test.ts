import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const plain = { repo_id: 40, poster_id: 7, content: '', is_closed: 0, is_pull: 0, ...time };

function fill(source: SourceFixture): void {
  const user = { type: 0, is_active: 1, visibility: 0, ...time };
  source.rows(
    'user',
    { id: 7, lower_name: 'ada', name: 'Ada', email: 'ada@example.com', ...user },
    { id: 9, lower_name: 'ben', name: 'ben', email: 'ben@example.com', ...user },
    { id: 11, lower_name: 'guild', name: 'guild', email: '', ...user, type: 1 },
  );
  const repository = { owner_id: 7, owner_name: 'Ada', default_branch: 'trunk', ...time };
  source.rows(
    'repository',
    // what the source counts is wrong
    { id: 40, lower_name: 'mill', name: 'Mill', num_issues: 30, num_closed_issues: 3, ...repository },
    { id: 41, lower_name: 'barn', name: 'barn', ...repository, owner_id: 11, owner_name: 'guild' },
  );
  source.rows(
    'repo_unit',
    { id: 1, repo_id: 40, type: 2, config: '{"EnableTimetracker":true,"EnableDependencies":true}' },
    { id: 2, repo_id: 41, type: 2, config: null },
    { id: 3, repo_id: 40, type: 1, config: null },
    { id: 4, repo_id: 40, type: 3, config: null },
  );
  source.rows(
    'label',
    { id: 20, repo_id: 40, org_id: 0, name: 'kind/bug', color: '#EE0701', exclusive: 1, description: 'wrong', ...time },
    { id: 21, repo_id: 40, org_id: 0, name: 'old', color: '#abc', archived_unix: 1700000500, ...time },
    { id: 22, repo_id: 0, org_id: 11, name: 'of all', color: '00aabb', ...time },
    { id: 23, repo_id: 99, org_id: 0, name: 'lost', color: '00aabb', ...time },
    { id: 24, repo_id: 0, org_id: 0, name: 'nowhere', color: '00aabb', ...time },
  );
  source.rows(
    'milestone',
    { id: 30, repo_id: 40, name: 'First', content: 'soon', is_closed: 0, deadline_unix: 1800000000, ...time },
    {
      id: 31,
      repo_id: 40,
      name: 'Done',
      is_closed: 1,
      closed_date_unix: 1700000400,
      deadline_unix: 253402214400,
      ...time,
    },
  );
  source.rows(
    'issue',
    { id: 50, index: 1, name: 'Grain', ...plain, content: 'Mill *it*', milestone_id: 30, ref: 'refs/heads/main' },
    {
      id: 51,
      index: 4,
      name: 'Flour',
      ...plain,
      poster_id: 66,
      is_closed: 1,
      closed_unix: 1700000300,
      milestone_id: 30,
    },
    { id: 52, index: 7, name: 'Imported', ...plain, original_author: 'carl', original_author_id: 5, milestone_id: 98 },
    { id: 53, index: 1, name: 'Hay', ...plain, repo_id: 41 },
    { id: 54, index: 1, name: 'Lost', ...plain, repo_id: 99 },
  );
  source.run('alter table issue add deadline_unix; alter table issue add is_locked; alter table issue add pin_order');
  source.run('alter table issue add time_estimate; alter table issue add content_version');
  source.run('update issue set deadline_unix = 1800000001, is_locked = 1, pin_order = 1 where id = 50');
  source.run('update issue set time_estimate = 5400, content_version = 3 where id = 50');
  source.rows('issue_label', { id: 1, issue_id: 50, label_id: 20 }, { id: 2, issue_id: 51, label_id: 20 });
  source.rows('issue_assignees', { id: 1, issue_id: 50, assignee_id: 9 }, { id: 2, issue_id: 50, assignee_id: 66 });
  source.rows('issue_index', { group_id: 40, max_index: 12 });
}

describe('issue 28: issues of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const get = async (path: string) =>
    (await host.as({ id: 7, name: 'ada', isAdmin: true }).inject(`/api/v1${path}`)).json;
  const post = async (path: string, payload: object) =>
    (await host.as({ id: 7, name: 'ada', isAdmin: true }).inject({ method: 'POST', url: `/api/v1${path}`, payload }))
      .json;

  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'organizations', 'issues', 'pulls'] });
    source = new SourceFixture();
    fill(source);
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('come with labels of repositories and organizations, milestones and assignees', async () => {
    const lines = await take();
    expect(lines).to.include('issues.issues: 5 read, 4 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('issues.labels: 5 read, 3 written, 0 unchanged, 0 removed, 2 skipped');
    expect(lines).to.include('issues.assignees: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped');
    const grain = await get('/repos/ada/mill/issues/1');
    expect(grain).to.include({
      id: 50,
      title: 'Grain',
      body: 'Mill *it*',
      ref: 'refs/heads/main',
      state: 'open',
      is_locked: true,
      pin_order: 1,
      due_date: '2027-01-15T08:00:01Z',
      time_estimate: 5400,
      content_version: 3,
      created_at: '2023-11-14T22:13:20Z',
      updated_at: '2023-11-14T22:13:21Z',
    });
    expect(grain.labels).to.have.length(1);
    expect(grain.labels[0]).to.include({ id: 20, name: 'kind/bug', color: 'ee0701', exclusive: true });
    expect(grain.assignees.map(({ login }: { login: string }) => login)).to.equal(['ben']);
    expect(await get('/repos/ada/mill/issues/4')).to.include({ state: 'closed', closed_at: '2023-11-14T22:18:20Z' });
    expect((await get('/repos/ada/mill/issues/4')).user.login).to.equal('Ghost');
    expect(await get('/repos/ada/mill/issues/7')).to.include({
      original_author: 'carl',
      original_author_id: 5,
      milestone: null,
    });
    expect(await get('/repos/ada/mill/labels/21')).to.include({ name: 'old', color: 'aabbcc', is_archived: true });
    expect((await get('/orgs/guild/labels')).map(({ id }: { id: number }) => id)).to.equal([22]);
  });

  it('are counted anew, and the next gets the number after the highest', async () => {
    await take();
    expect(await get('/repos/ada/mill/milestones/30')).to.include({
      title: 'First',
      open_issues: 1,
      closed_issues: 1,
      due_on: '2027-01-15T08:00:00Z',
    });
    expect(await get('/repos/ada/mill/milestones/31')).to.include({ state: 'closed', due_on: null });
    expect(await get('/repos/ada/mill')).to.include({ open_issues_count: 2 });
    expect((await post('/repos/ada/mill/issues', { title: 'Next' })).number).to.equal(13);
    // of this one the source says nothing
    expect((await post('/repos/guild/barn/issues', { title: 'Next' })).number).to.equal(2);
    expect((await get('/repos/ada/mill/issues?labels=kind/bug&state=closed'))[0]).to.include({ id: 51 });
  });

  it('are written again only where they have changed there', async () => {
    await take();
    for (const line of (await take()).filter((one) => / read, /.test(one)))
      expect(line).to.match(/, 0 written, .*, 0 removed/);
    source.run("update issue set name = 'Rye' where id = 50");
    expect(await take()).to.include('issues.issue_labels: 2 read, 0 written, 2 unchanged, 0 removed, 0 skipped');
    source.run('update issue set is_closed = 1, closed_unix = 1700000900 where id = 50');
    const lines = await take();
    expect(lines).to.include('issues.issues: 5 read, 1 written, 3 unchanged, 0 removed, 1 skipped');
    expect(await get('/repos/ada/mill/milestones/30')).to.include({ open_issues: 0, closed_issues: 2 });
    expect(await get('/repos/ada/mill')).to.include({ open_issues_count: 1 });
    expect(await get('/repos/ada/mill/issues?labels=kind/bug&state=closed')).to.have.length(2);
  });

  it('have their one assignee, and pins from the table of pins, in sources of other versions', async () => {
    source.run('drop table issue_assignees; alter table issue drop pin_order; alter table issue add assignee_id');
    source.run('update issue set assignee_id = 9 where id = 52');
    source.rows('issue_pin', { id: 1, repo_id: 40, issue_id: 52, is_pull: 0, pin_order: 2 });
    await take();
    expect(await get('/repos/ada/mill/issues/7')).to.include({ pin_order: 2 });
    expect((await get('/repos/ada/mill/issues/7')).assignee.login).to.equal('ben');
  });
});
