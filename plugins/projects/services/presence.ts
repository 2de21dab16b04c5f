import type { QueryBuilder } from 'objection';
import type { Cache, Channels, Database, QueryCache } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { unitOf, type Issues } from '@mortise/issues/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import { CardRow } from '../models/card.js';
import { PresenceRow } from '../models/presence.js';
import type { ProjectReader } from './project-reader.js';
import type { ProjectReaders } from './readers.js';

/** The channel of boards, and the name by which pages know the event. */
export const projectChannel = 'project-changed';

/** How long a page that was opened counts as open; pages that stay open say so again before. */
const openFor = 12 * 60 * 60 * 1000;
/** Users whom one change reaches at once, and boards that one issue refreshes. */
const maxUsers = 500;
const maxBoards = 100;

interface Deps {
  readonly accounts: Pick<Accounts, 'byIds'>;
  readonly cache: Cache;
  readonly channels: Channels;
  readonly database: Database;
  readonly issues: Pick<Issues, 'byId'>;
  readonly reader: Pick<ProjectReader, 'byIds'>;
  readonly readers: ProjectReaders;
  readonly repositories: Pick<Repositories, 'byId'>;
  readonly repositoryAccess: Pick<RepositoryAccess, 'readersAmong'>;
}

/** Users who have a board open: their pages hear of changes at once. */
export class ProjectPresence {
  readonly #recent: QueryCache<readonly PresenceRow[]>;

  constructor(private readonly deps: Deps) {
    this.#recent = deps.cache.query('projects.presence');
  }

  /** A signed-in user looks at the board now. */
  record(projectId: number, userId: number, at = Date.now()): Promise<void> {
    const { database } = this.deps;
    const columns = { project_id: projectId, user_id: userId, seen_at: at };
    return database.write(() => database.rows.upsertPipelined(PresenceRow, ['project_id', 'user_id'], columns));
  }

  /** In a transaction that changes a board: refreshes open pages of it when that has committed. `issueId`: for who may read that. */
  notify(projectId: number, issueId?: number): void {
    this.deps.database.afterCommit(async () => {
      // most boards are open nowhere: while nobody opens one, nothing is asked
      const rows = await this.#recent.load(String(projectId), () =>
        this.#rows((present) => present.where('project_id', projectId)),
      );
      await this.#publish(rows, issueId);
    });
  }

  /** The same for all boards that show an issue, such as its title or labels. */
  notifyOfIssue(issueId: number): void {
    const boards = CardRow.query().select('project_id').where({ issue_id: issueId, is_archived: false });
    this.deps.database.afterCommit(async () =>
      this.#publish(await this.#rows((present) => present.whereIn('project_id', boards)), issueId),
    );
  }

  async #rows(
    narrow: (present: QueryBuilder<PresenceRow>) => QueryBuilder<PresenceRow>,
  ): Promise<readonly PresenceRow[]> {
    return narrow(this.deps.database.query(PresenceRow)).orderBy('seen_at', 'desc').limit(maxUsers);
  }

  /** To those who may see the board and read the issue: looked up for all of them together. */
  async #publish(rows: readonly PresenceRow[], issueId?: number): Promise<void> {
    const { accounts, channels, reader, readers } = this.deps;
    const present = rows.filter((row) => Number(row.seen_at) > Date.now() - openFor);
    if (!present.length) return;
    const users = await accounts.byIds([...new Set(present.map((row) => row.user_id))]);
    const mayRead = issueId === undefined ? undefined : await this.#issueReaders([...users.values()], issueId);
    const projects = await reader.byIds(present.map((row) => row.project_id));
    for (const project of [...projects.values()].slice(0, maxBoards)) {
      const there = present
        .filter((row) => row.project_id === project.id)
        .flatMap((row) => users.get(row.user_id) ?? []);
      const seeing = await readers.among(there, project);
      const userIds = [...seeing].filter((id) => mayRead?.has(id) ?? true);
      if (userIds.length) await channels.publish(projectChannel, { userIds }, { projectId: project.id });
    }
  }

  /** Undefined for an issue that is gone: there is nothing to hide any more. */
  async #issueReaders(users: readonly Account[], issueId: number): Promise<ReadonlySet<number> | undefined> {
    const { issues, repositories, repositoryAccess } = this.deps;
    const issue = await issues.byId(issueId);
    const repository = issue && (await repositories.byId(issue.repositoryId));
    return issue && repository && repositoryAccess.readersAmong(users, repository, unitOf(issue));
  }

  /** In the transaction in which an account goes. */
  async forget(userId: number): Promise<void> {
    await this.deps.database.query(PresenceRow).delete().where('user_id', userId);
  }
}
