import { Problem, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import { unitOf, type Issue } from '../api.js';
import { TimelineRow } from '../models/timeline.js';
import type { IssueService } from './issues.js';
import type { IssueReader } from './issue-reader.js';

interface Deps {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly issues: IssueService;
  readonly reader: IssueReader;
}

/** Does what a merged pull request says that it does to other issues, as far as the actor may. */
export async function applyCloseReferences(pull: Issue, actor: Actor, deps: Deps): Promise<void> {
  const rows = await deps.database.query(TimelineRow).where({ kind: 'pull_ref', subject_id: pull.id }).limit(100);
  const wanted = rows.filter(({ data }) => data?.action === 'closes' || data?.action === 'reopens');
  const issues = await deps.reader.byIds(wanted.map((row) => row.issue_id));
  const repositoriesById = await deps.repositories.byIds([...issues.values()].map((issue) => issue.repositoryId));
  const rights = await deps.repositoryAccess.contexts(actor, [...repositoriesById.values()]);
  for (const { issue_id: id, data } of wanted) {
    const issue = issues.get(id);
    const repository = issue && repositoriesById.get(issue.repositoryId);
    if (!issue || !repository || issue.isPull || !rights.get(repository.id)?.may('write', unitOf(issue))) continue;
    try {
      await deps.issues.edit(repository, issue, { isClosed: data?.action === 'closes' }, actor);
    } catch (error) {
      // what keeps an issue open keeps it open here too
      if (!Problem.is(error)) throw error;
    }
  }
}
