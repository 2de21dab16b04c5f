import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { fillIssues } from './issue-source.js';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

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
    fillIssues(source);
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
    const repository = await host.services.get(repositories).byPath('ada', 'mill');
    const options = repository!.units.find(({ key }) => key === 'issues')!.config;
    expect(options).to.include({ enable_time_tracker: true, close_issues_via_commit_in_any_branch: true });
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
