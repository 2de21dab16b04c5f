import type { SourceFixture } from './source.js';

export const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const plain = { repo_id: 40, poster_id: 7, content: '', is_closed: 0, is_pull: 0, ...time };

/** Two accounts, an organization, two repositories, and issues of them. */
export function fillIssues(source: SourceFixture): void {
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
    {
      ...{ id: 40, lower_name: 'mill', name: 'Mill', num_issues: 30, num_closed_issues: 3, ...repository },
      close_issues_via_commit_in_any_branch: 1,
    },
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
