import {
  pageOf,
  BadRequest,
  Invalid,
  NotFound,
  Problem,
  refuseDuplicate,
  type Actor,
  type Database,
  type Events,
} from '@mortise/plugin-sdk';
import type { QueryBuilder } from 'objection';
import type { Accounts } from '@mortise/accounts/api';
import { mustBeActive, type Repositories, type Repository, type RepositoryAccess } from '@mortise/repositories/api';
import { issuesFreed, unitOf, type CloseCheck, type Issue } from '../api.js';
import { IssueRow, toIssue } from '../models/issue.js';
import { DependencyRow, dependencyGuard } from '../models/dependency.js';
import { mayRecordReference, checkParticipation, type ParticipationTarget } from './participation.js';
import type { IssueReader } from './issue-reader.js';
import type { TimelineService } from './timeline.js';
import { t } from '../texts/index.js';

/** Issues among which a circle is looked for. */
const maxLooked = 1000;

/** An issue that another names in a request (ISS-28). */
export interface IssueName {
  readonly owner?: string;
  readonly repo?: string;
  readonly index?: number;
}

/** Are dependencies on in the repository? */
export const hasDependencies = (repository: Repository): boolean =>
  repository.units.find(({ key }) => key === 'issues')?.config.enable_issue_dependencies !== false;

/** ISS-10, ISS-22 to ISS-29: issues that wait for others. */
export class DependencyService {
  constructor(
    private readonly deps: {
      readonly accounts: Pick<Accounts, 'blocks'>;
      readonly database: Database;
      readonly events: Events;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly reader: IssueReader;
      readonly timeline: TimelineService;
      /** `[service] ALLOW_CROSS_REPOSITORY_DEPENDENCIES` */
      readonly isAllowedAcross: boolean;
    },
  ) {}

  /** What it waits for, or what waits for it, oldest first. */
  async list(
    issue: Issue,
    which: 'dependencies' | 'blocks',
    page: { readonly limit: number; readonly offset: number },
  ) {
    const { database } = this.deps;
    const [own, other] =
      which === 'dependencies' ? (['issue_id', 'depends_on_id'] as const) : (['depends_on_id', 'issue_id'] as const);
    const query = database
      .query(IssueRow)
      .join('issue_dependency', `issue_dependency.${other}`, 'issue.id')
      .where(`issue_dependency.${own}`, issue.id)
      .select('issue.*');
    const { rows, total } = await pageOf(query.orderBy('issue_dependency.id'), page);
    return { items: rows.map(toIssue), total };
  }

  /** The issue that a request names, with who may do what in its repository; NotFound for what the actor cannot read. */
  async named(name: IssueName, actor: Actor, from: Repository) {
    const { repositories, repositoryAccess, reader } = this.deps;
    const { owner = '', repo = '', index = 0 } = name;
    const repository = await repositories.byPath(owner, repo);
    if (!repository) throw NotFound('issue');
    const context = await repositoryAccess.context(actor, repository);
    const issue = await reader.byIndex(repository.id, index);
    if (!issue || !context.may('read', unitOf(issue))) throw NotFound('issue');
    // not before: it would tell that the repository is there
    if (repository.id !== from.id && !this.deps.isAllowedAcross) throw BadRequest(t.later('error.acrossRepositories'));
    return { issue, context };
  }

  /**
   * The first is to wait for the second, or no more: that changes the first, so the actor must be able to write it, and is
   * told in both. NotFound or Locked where it cannot be written, and what a comment in the second is refused with.
   */
  async checkBothIssues(issue: ParticipationTarget, dependsOn: ParticipationTarget, actor: Actor): Promise<void> {
    // those who cannot write are told what those are told who see nothing
    if (!issue.context.may('write', unitOf(issue.issue))) throw NotFound('issue');
    mustBeActive(issue.context);
    mustBeActive(dependsOn.context);
    await checkParticipation(this.deps.accounts, dependsOn, actor);
  }

  /** The other end of a dependency that is there, by its id; NotFound where the actor cannot read it. */
  async other(id: number, actor: Actor): Promise<ParticipationTarget> {
    const issue = await this.deps.reader.byId(id);
    const repository = issue && (await this.deps.repositories.byId(issue.repositoryId));
    const context = repository && (await this.deps.repositoryAccess.context(actor, repository));
    if (!issue || !context?.may('read', unitOf(issue))) throw NotFound('issue');
    return { issue, context };
  }

  /** Invalid for itself, for what is there already, and for circles. */
  async add(issue: Issue, dependsOn: Issue, actor: Actor): Promise<void> {
    const { database, repositories, timeline } = this.deps;
    if (issue.id === dependsOn.id) throw Invalid(t.later('error.dependsOnItself'));
    await database.write(async () => {
      // a circle may go through any repositories: one dependency is looked at and stored at a time
      await database.knex()(dependencyGuard).insert({ id: 1, taken_at: Date.now() }).onConflict('id').merge();
      for (const id of [...new Set([issue.repositoryId, dependsOn.repositoryId])].sort((a, b) => a - b))
        await repositories.hold(id);
      const key = { issue_id: issue.id, depends_on_id: dependsOn.id };
      if ((await database.query(IssueRow).whereIn('id', [issue.id, dependsOn.id]).resultSize()) < 2)
        throw NotFound('issue');
      if (await database.query(DependencyRow).findOne(key)) throw Invalid(t.later('error.dependencyExists'));
      if (await this.#waitsFor(dependsOn.id, issue.id)) throw Invalid(t.later('error.dependencyCircle'));
      await refuseDuplicate(t.later('error.dependencyExists'), async () =>
        database.query(DependencyRow).insert({ ...key, actor_id: actor.id, created_at: Date.now() }),
      );
      const recorded = { kind: 'add_dependency', actorId: actor.id };
      await timeline.record({ ...recorded, issue, subjectId: dependsOn.id });
      await timeline.record({ ...recorded, issue: dependsOn, subjectId: issue.id });
    });
  }

  /**
   * NotFound when there is no such dependency. It may go also where the second cannot be written any more, which then gets
   * no entry.
   */
  async remove(issue: Issue, dependsOn: ParticipationTarget, actor: Actor): Promise<void> {
    const { accounts, database, events, timeline } = this.deps;
    const mayRecord = await mayRecordReference(accounts, dependsOn, actor);
    await database.write(async () => {
      const key = { issue_id: issue.id, depends_on_id: dependsOn.issue.id };
      if (!(await database.query(DependencyRow).delete().where(key))) throw NotFound('dependency');
      const recorded = { kind: 'remove_dependency', actorId: actor.id };
      await timeline.record({ ...recorded, issue, subjectId: dependsOn.issue.id });
      if (mayRecord) await timeline.record({ ...recorded, issue: dependsOn.issue, subjectId: issue.id });
      await events.emit(issuesFreed, { issueIds: [issue.id] });
    });
  }

  /** In the transaction that closes or deletes issues, before they are gone: tells of what waited for them. */
  free(issueIds: readonly number[]): Promise<void> {
    return this.#free((query) => void query.whereIn('issue_dependency.depends_on_id', [...issueIds]));
  }

  /** The same for all issues of a repository that is being deleted; what waits in it goes as well. */
  freeAcross(repositoryId: number): Promise<void> {
    return this.#free((query) => {
      void query
        .join('issue as blocking', 'blocking.id', 'issue_dependency.depends_on_id')
        .join('issue as waiting', 'waiting.id', 'issue_dependency.issue_id')
        .where('blocking.repository_id', repositoryId)
        .whereNot('waiting.repository_id', repositoryId);
    });
  }

  async #free(narrow: (query: QueryBuilder<DependencyRow>) => void): Promise<void> {
    let last: DependencyRow | undefined;
    do {
      const query = this.deps.database
        .query(DependencyRow)
        .select('issue_dependency.id', 'issue_dependency.issue_id')
        .where('issue_dependency.id', '>', last?.id ?? 0)
        .orderBy('issue_dependency.id')
        .limit(maxLooked);
      narrow(query);
      const rows = await query;
      last = rows[maxLooked - 1];
      if (rows.length) await this.deps.events.emit(issuesFreed, { issueIds: rows.map((row) => row.issue_id) });
    } while (last);
  }

  /** What is open of that for which an issue waits keeps it open. */
  readonly closeCheck: CloseCheck = {
    key: 'issues.dependencies',
    check: async (issue) => {
      const repository = await this.deps.repositories.byId(issue.repositoryId);
      if (!repository || !hasDependencies(repository)) return;
      const open = await this.deps.database
        .query(DependencyRow)
        .join('issue', 'issue.id', 'issue_dependency.depends_on_id')
        .where({ 'issue_dependency.issue_id': issue.id, 'issue.is_closed': false })
        .first();
      if (open) throw new Problem('precondition_failed', t.later('error.openDependencies'));
    },
  };

  /** Does the first wait for the second, directly or through others? Invalid for what is too much to look at. */
  async #waitsFor(first: number, second: number): Promise<boolean> {
    const seen = new Set<number>();
    let next = [first];
    while (next.length) {
      if (next.includes(second)) return true;
      if (seen.size + next.length > maxLooked) throw Invalid(t.later('error.dependencyTooMany'));
      next.forEach((id) => seen.add(id));
      const rows = await this.deps.database.query(DependencyRow).whereIn('issue_id', next);
      next = [...new Set(rows.map((row) => row.depends_on_id))].filter((id) => !seen.has(id));
    }
    return false;
  }
}
