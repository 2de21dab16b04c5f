import { Invalid, NotFound, contains, pageOf, type Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { Milestone } from '../api.js';
import { IssueRow } from '../models/issue.js';
import { MilestoneRow, toMilestone } from '../models/milestone.js';
import { singleLine } from './titles.js';
import { isId } from './search-filters.js';
import { t } from '../texts/index.js';

/** Milestones that a page offers. */
const maxOffered = 100;

interface MilestoneChanges {
  readonly title?: string;
  readonly description?: string;
  /** 0: none. */
  readonly dueAt?: number;
  readonly isClosed?: boolean;
}

interface MilestoneSearch {
  readonly repositoryId: number;
  readonly isClosed?: boolean;
  /** Part of the title. */
  readonly text?: string;
  readonly limit: number;
  readonly offset: number;
}

function columns({ title, description, dueAt, isClosed }: MilestoneChanges, now: number) {
  const trimmed = title === undefined ? undefined : singleLine(title);
  if (trimmed === '') throw Invalid(t.later('error.title'), { inputs: { title: t.later('error.title') } });
  return {
    ...(trimmed !== undefined && { title: trimmed, lower_title: trimmed.toLowerCase() }),
    ...(description !== undefined && { description }),
    ...(dueAt !== undefined && { due_at: dueAt }),
    ...(isClosed !== undefined && { is_closed: isClosed, closed_at: isClosed ? now : 0 }),
    updated_at: now,
  };
}

/** The milestones of repositories (ISS-12, ISS-13). */
export class MilestoneService {
  constructor(
    private readonly deps: { readonly database: Database; readonly repositories: Pick<Repositories, 'hold'> },
  ) {}

  /** Those that are due first come first, then those without a date. */
  async list({ repositoryId, isClosed, text, limit, offset }: MilestoneSearch) {
    const { database } = this.deps;
    const query = database.query(MilestoneRow).where('repository_id', repositoryId);
    if (isClosed !== undefined) void query.where('is_closed', isClosed);
    if (text) void query.where(contains('lower_title', text));
    void query.orderByRaw('case when due_at = 0 then 1 else 0 end').orderBy('due_at').orderBy('id');
    const { rows, total } = await pageOf(query, { limit, offset });
    return { items: rows.map(toMilestone), total };
  }

  /** The open ones that issues can be given, those that are due first in front; at most {@link maxOffered}. */
  async offered(repositoryId: number): Promise<Milestone[]> {
    const rows = await this.deps.database
      .query(MilestoneRow)
      .where({ repository_id: repositoryId, is_closed: false })
      .orderByRaw('case when due_at = 0 then 1 else 0 end')
      .orderBy('due_at')
      .orderBy('id')
      .limit(maxOffered);
    return rows.map(toMilestone);
  }

  /** By its number, or by its title. NotFound. */
  async of(repositoryId: number, idOrTitle: string): Promise<Milestone> {
    const query = this.deps.database.query(MilestoneRow).where('repository_id', repositoryId);
    const id = /^\d+$/.test(idOrTitle) ? Number(idOrTitle) : 0;
    const row =
      (isId(id) && (await query.clone().findById(id))) || (await query.where('title', idOrTitle).orderBy('id').first());
    if (!row) throw NotFound('milestone');
    return toMilestone(row);
  }

  create(repositoryId: number, milestone: MilestoneChanges & { readonly title: string }): Promise<Milestone> {
    const { database } = this.deps;
    const now = Date.now();
    return database.write(async () => {
      const row = await database.query(MilestoneRow).insertAndFetch({
        repository_id: repositoryId,
        description: '',
        due_at: 0,
        is_closed: false,
        closed_at: 0,
        created_at: now,
        ...columns(milestone, now),
      });
      return toMilestone(row);
    });
  }

  edit(milestone: Milestone, changes: MilestoneChanges): Promise<Milestone> {
    const { database } = this.deps;
    // What it is already does not move its times.
    const { isClosed = milestone.isClosed, ...rest } = changes;
    return database.write(async () => {
      const moved = isClosed === milestone.isClosed ? rest : { ...rest, isClosed };
      await database.query(MilestoneRow).findById(milestone.id).patch(columns(moved, Date.now()));
      const row = await database.query(MilestoneRow).findById(milestone.id);
      if (!row) throw NotFound('milestone');
      return toMilestone(row);
    });
  }

  /** Its issues stay, without it. */
  delete(milestone: Milestone): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      await this.deps.repositories.hold(milestone.repositoryId);
      await database.query(IssueRow).where('milestone_id', milestone.id).patch({ milestone_id: null });
      await database.query(MilestoneRow).deleteById(milestone.id);
    });
  }
}
