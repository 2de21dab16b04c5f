import {
  Invalid,
  NotFound,
  isMissingReference,
  pageOf,
  type Cache,
  type Database,
  type QueryCache,
} from '@mortise/plugin-sdk';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { type Issue, type Label } from '../api.js';
import { scopeOf } from '../contract/labels.js';
import type { LabelChange } from '../contract/issues.js';
import { IssueRow } from '../models/issue.js';
import { IssueLabelRow } from '../models/issue-label.js';
import { LabelRow, toLabel } from '../models/label.js';
import { TimelineRow } from '../models/timeline.js';
import { singleLine } from './titles.js';
import { isId } from './search-filters.js';
import type { TimelineService } from './timeline.js';
import { t } from '../texts/index.js';

export interface NewLabel {
  readonly name: string;
  /** `#abcdef`, with or without the sign, also with three digits. */
  readonly color: string;
  readonly description?: string;
  readonly isExclusive?: boolean;
  readonly isArchived?: boolean;
}

interface NamedLabels {
  readonly ids?: undefined;
  readonly names: readonly string[];
}

/** Whose labels they are. */
export type LabelOwner =
  | { readonly repositoryId: number; readonly organizationId?: undefined }
  | { readonly organizationId: number; readonly repositoryId?: undefined };

const ownerColumns = (owner: LabelOwner) => ({
  repository_id: owner.repositoryId ?? null,
  organization_id: owner.organizationId ?? null,
});

const where = (owner: LabelOwner) =>
  owner.repositoryId !== undefined ? { repository_id: owner.repositoryId } : { organization_id: owner.organizationId };

/** Labels that a page offers. */
const maxOffered = 300;

/** Six digits in lower case; Invalid for what is no colour. */
/** Six digits of three or six, with a `#` before them or without; undefined where it is no color. */
export function colorDigits(text: string): string | undefined {
  const [, digits] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(text.trim()) ?? [];
  const full = digits?.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  return full?.toLowerCase();
}

function parseColor(text: string): string {
  const digits = colorDigits(text);
  if (!digits) throw Invalid(t.later('error.color'), { inputs: { color: t.later('error.color') } });
  return digits;
}

function columns(label: Partial<NewLabel>) {
  const name = label.name === undefined ? undefined : singleLine(label.name);
  if (name === '') throw Invalid(t.later('error.labelName'), { inputs: { name: t.later('error.labelName') } });
  return {
    ...(name !== undefined && { name, lower_name: name.toLowerCase() }),
    ...(label.color !== undefined && { color: parseColor(label.color) }),
    ...(label.description !== undefined && { description: label.description }),
    ...(label.isExclusive !== undefined && { is_exclusive: label.isExclusive }),
    ...(label.isArchived !== undefined && { archived_at: label.isArchived ? Date.now() : 0 }),
  };
}

interface LabelPageSearch {
  readonly limit: number;
  readonly offset: number;
  /** From the end of the alphabet. */
  readonly isReversed?: boolean;
}

interface LabelPage {
  readonly items: readonly Label[];
  readonly total: number;
}

/** The labels of repositories and organizations. */
export class LabelService {
  readonly #pages: QueryCache<LabelPage>;

  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly cache: Cache;
      readonly repositories: Pick<Repositories, 'hold'>;
    },
  ) {
    this.#pages = deps.cache.query('issues.labelPages');
  }

  list(owner: LabelOwner, page: LabelPageSearch): Promise<LabelPage> {
    const { limit, offset, isReversed = false } = page;
    return this.#pages.load(JSON.stringify([owner, limit, offset, isReversed]), async () => {
      const query = this.deps.database.query(LabelRow).where(where(owner));
      const order = isReversed ? 'desc' : 'asc';
      const { rows, total } = await pageOf(query.orderBy('lower_name', order).orderBy('id', order), page);
      return { items: rows.map(toLabel), total };
    });
  }

  /** By its number, or by its name. NotFound. */
  async of(owner: LabelOwner, idOrName: string): Promise<Label> {
    const label = await this.find(owner, idOrName);
    if (!label) throw NotFound('label');
    return label;
  }

  /** The same; undefined: there is none. */
  async find(owner: LabelOwner, idOrName: string): Promise<Label | undefined> {
    const query = this.deps.database.query(LabelRow).where(where(owner));
    const id = /^\d+$/.test(idOrName) ? Number(idOrName) : 0;
    const row = id ? isId(id) && (await query.findById(id)) : await query.where('name', idOrName).orderBy('id').first();
    return row ? toLabel(row) : undefined;
  }

  /** Those of the repository and of the organization that owns it, in the order of the request; others are passed over. */
  async usableIn(
    { id, ownerId }: Repository,
    { ids, names }: { readonly ids: readonly number[]; readonly names?: undefined } | NamedLabels,
  ): Promise<Label[]> {
    const query = this.deps.database
      .query(LabelRow)
      .where((either) => void either.where('repository_id', id).orWhere('organization_id', ownerId));
    const rows = await (ids ? query.whereIn('id', ids.filter(isId)) : query.whereIn('name', [...names])).orderBy('id');
    const labels = rows.map(toLabel);
    return ids
      ? ids.flatMap((one) => labels.find((label) => label.id === one) ?? [])
      : names.flatMap((one) => labels.find((label) => label.name === one) ?? []);
  }

  /** All that issues of the repository can carry, by name; at most {@link maxOffered}. Archived ones only where said. */
  async offered({ id, ownerId }: Repository, isArchivedToo = false): Promise<Label[]> {
    const query = this.deps.database
      .query(LabelRow)
      .where((either) => void either.where('repository_id', id).orWhere('organization_id', ownerId));
    if (!isArchivedToo) void query.where('archived_at', 0);
    return (await query.orderBy('lower_name').orderBy('id').limit(maxOffered)).map(toLabel);
  }

  create(owner: LabelOwner, label: NewLabel): Promise<Label> {
    const { database } = this.deps;
    return database.write(async () => {
      const row = await database.query(LabelRow).insertAndFetch({
        description: '',
        is_exclusive: false,
        archived_at: 0,
        created_at: Date.now(),
        ...ownerColumns(owner),
        ...columns(label),
      });
      return toLabel(row);
    });
  }

  /** All or none. */
  createAll(owner: LabelOwner, labels: readonly NewLabel[]): Promise<void> {
    return this.deps.database.write(async () => {
      for (const label of labels) await this.create(owner, label);
    });
  }

  edit(label: Label, changes: Partial<NewLabel>): Promise<Label> {
    const { database } = this.deps;
    return database.write(async () => {
      const changed = columns(changes);
      if (Object.keys(changed).length) await database.query(LabelRow).findById(label.id).patch(changed);
      const row = await database.query(LabelRow).findById(label.id);
      if (!row) throw NotFound('label');
      return toLabel(row);
    });
  }

  /** Takes it off all issues, and out of their timelines. */
  delete(label: Label): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      if (label.repositoryId) await this.deps.repositories.hold(label.repositoryId);
      await database.query(TimelineRow).delete().where({ kind: 'label', subject_id: label.id });
      await database.query(IssueLabelRow).delete().where('label_id', label.id);
      await database.query(LabelRow).deleteById(label.id);
    });
  }
}

/**
 * What is left when these are attached one after the other: an exclusive label drives out the exclusive ones of its scope
 * (ISS-05), so of two that are named together the last one stays (ISS-06).
 */
export function addLabels(present: readonly Label[], added: readonly Label[]): Label[] {
  let left = [...present];
  for (const label of added) {
    const scope = label.isExclusive ? scopeOf(label.name) : '';
    if (scope) left = left.filter((one) => one.id === label.id || !one.isExclusive || scopeOf(one.name) !== scope);
    if (!left.some((one) => one.id === label.id)) left.push(label);
  }
  return left;
}

/** Puts labels onto issues: the one place for every path. */
export class IssueLabels {
  constructor(private readonly deps: { readonly database: Database; readonly timeline: TimelineService }) {}

  /** In the caller's transaction; undefined when nothing changed. NotFound for a label that was deleted meanwhile. */
  async change(
    issue: Pick<Issue, 'id' | 'repositoryId'>,
    next: (present: readonly Label[]) => readonly Label[],
    actorId: number,
  ): Promise<LabelChange | undefined> {
    const { database, timeline } = this.deps;
    const rows = await database
      .query(LabelRow)
      .join('issue_label', 'issue_label.label_id', 'label.id')
      .select('label.*')
      .where('issue_label.issue_id', issue.id)
      .orderBy('issue_label.id');
    const present = rows.map(toLabel);
    const wanted = next(present);
    const removed = present.filter((one) => !wanted.some(({ id }) => id === one.id));
    const added = wanted.filter((one) => !present.some(({ id }) => id === one.id));
    if (removed.length)
      await database
        .query(IssueLabelRow)
        .delete()
        .where('issue_id', issue.id)
        .whereIn(
          'label_id',
          removed.map(({ id }) => id),
        );
    if (added.length) {
      const { is_pull, is_closed, created_at } = (await database.query(IssueRow).findById(issue.id))!;
      try {
        for (const label of added)
          await database
            .query(IssueLabelRow)
            .insert({ issue_id: issue.id, label_id: label.id, is_pull, is_closed, issue_created_at: created_at });
      } catch (error) {
        throw isMissingReference(error) ? NotFound('label') : error;
      }
    }
    const recorded = (label: Label, body: string) =>
      timeline.record({ issue, kind: 'label', actorId, subjectId: label.id, body });
    // In the order in which each was driven out by the one that came.
    for (const label of removed) await recorded(label, '');
    for (const label of added) await recorded(label, '1');
    if (removed.length + added.length === 0) return undefined;
    return { added: added.length > 0, removed: removed.length > 0 };
  }
}
