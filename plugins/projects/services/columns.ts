import { Invalid, NotFound, type Database, type Events, type Languages } from '@mortise/plugin-sdk';
import { projectColumnChanged, projectLimits } from '../api.js';
import type { Project, ProjectColumn } from '../contract/projects.js';
import type { ProjectColumnEvent } from '../contract/events.js';
import { ColumnRow, toColumn } from '../models/column.js';
import { t } from '../texts/index.js';
import { lockOpenProject } from './project-lock.js';
import { isId } from './project-reader.js';
import { moveAllCards } from './positions.js';
import { colorOf, titleOf } from './titles.js';

export const { columnTitle: maxColumnTitle, columns: maxColumns } = projectLimits;
export const minSorting = -128;
export const maxSorting = 127;

export interface ColumnChanges {
  readonly title?: string;
  readonly color?: string;
  readonly sorting?: number;
  /** 0: no limit. */
  readonly cardLimit?: number;
}

interface NewColumn extends ColumnChanges {
  readonly title: string;
  readonly isDefault?: boolean;
}

const byPlace = (one: ColumnRow, other: ColumnRow) => one.sorting - other.sorting || one.id - other.id;

/** The columns of boards (PRJ-05). Does not check permissions; callers must. */
export class ColumnService {
  constructor(
    private readonly deps: { readonly database: Database; readonly events: Events; readonly languages: Languages },
  ) {}

  /** In their order. */
  async list(projectId: number): Promise<ProjectColumn[]> {
    return (await this.#rows(projectId)).map(toColumn);
  }

  /** Of many boards, by the id of the board; each in its order. */
  async ofProjects(projectIds: readonly number[]): Promise<Map<number, ProjectColumn[]>> {
    const columns = new Map<number, ProjectColumn[]>(projectIds.map((id) => [id, []]));
    if (!projectIds.length) return columns;
    const rows = await this.deps.database.query(ColumnRow).whereIn('project_id', [...projectIds]);
    for (const row of rows.sort(byPlace)) columns.get(row.project_id)?.push(toColumn(row));
    return columns;
  }

  /** Undefined for one of another board. */
  async find(projectId: number, id: number): Promise<ProjectColumn | undefined> {
    const row = isId(id) ? await this.deps.database.query(ColumnRow).findOne({ id, project_id: projectId }) : undefined;
    return row && toColumn(row);
  }

  /** NotFound for one of another board. */
  async of(projectId: number, id: number): Promise<ProjectColumn> {
    const column = await this.find(projectId, id);
    if (!column) throw NotFound('column');
    return column;
  }

  create(projectId: number, given: NewColumn, actorId: number): Promise<ProjectColumn> {
    const { database } = this.deps;
    return database.write(async () => {
      const project = await lockOpenProject(database, projectId);
      const [column] = await this.insert(projectId, [given], actorId);
      await this.#emit(project, column!, 'created', actorId);
      return column!;
    });
  }

  /**
   * In the caller's transaction, with the board locked or new: columns after those that there are. The first column of a
   * board is its default.
   */
  async insert(projectId: number, given: readonly NewColumn[], actorId: number): Promise<ProjectColumn[]> {
    const { database } = this.deps;
    const present = given.length ? await this.#rows(projectId) : [];
    if (present.length + given.length > maxColumns) throw Invalid(t.later('error.tooManyColumns', { max: maxColumns }));
    const last = Math.max(-1, ...present.map(({ sorting }) => sorting));
    const defaultIndex = given.findIndex((one) => one.isDefault);
    const hasDefault = present.some((one) => one.is_default);
    const columns: ProjectColumn[] = [];
    for (const [index, one] of given.entries()) {
      const now = Date.now();
      const row = await database.query(ColumnRow).insert({
        project_id: projectId,
        title: titleOf(one.title, maxColumnTitle),
        color: colorOf(one.color ?? ''),
        is_default: !hasDefault && index === Math.max(0, defaultIndex),
        sorting: one.sorting ?? Math.min(maxSorting, last + 1 + index),
        card_limit: one.cardLimit ?? 0,
        creator_id: actorId,
        created_at: now,
        updated_at: now,
      });
      columns.push(toColumn(row));
    }
    return columns;
  }

  edit(projectId: number, id: number, changes: ColumnChanges, actorId: number): Promise<ProjectColumn> {
    const { database } = this.deps;
    const columns = {
      ...(changes.title !== undefined && { title: titleOf(changes.title, maxColumnTitle) }),
      ...(changes.color !== undefined && { color: colorOf(changes.color) }),
      ...(changes.sorting !== undefined && { sorting: changes.sorting }),
      ...(changes.cardLimit !== undefined && { card_limit: changes.cardLimit }),
      updated_at: Date.now(),
    };
    return database.write(async () => {
      const project = await lockOpenProject(database, projectId);
      const before = await this.of(projectId, id);
      await database.query(ColumnRow).findById(id).patch(columns);
      const after = await this.of(projectId, id);
      await this.#emit(project, after, 'edited', actorId, {
        before: after.title === before.title ? {} : { title: before.title },
      });
      return after;
    });
  }

  /** Its cards go to the default column, after those that are there; Invalid for the default column itself. */
  delete(projectId: number, id: number, actorId: number, record?: Readonly<Record<string, unknown>>): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      const project = await lockOpenProject(database, projectId);
      const column = await this.of(projectId, id);
      if (column.isDefault) throw Invalid(t.later('error.defaultColumn'));
      const other = await this.#defaultRow(projectId);
      await moveAllCards(database, id, other.id);
      await database.query(ColumnRow).deleteById(id);
      await this.#emit(project, column, 'deleted', actorId, record ? { record } : {});
    });
  }

  makeDefault(projectId: number, id: number, actorId: number): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      const project = await lockOpenProject(database, projectId);
      const column = await this.of(projectId, id);
      if (column.isDefault) return;
      await database.query(ColumnRow).where({ project_id: projectId, is_default: true }).patch({ is_default: false });
      await database.query(ColumnRow).findById(id).patch({ is_default: true, updated_at: Date.now() });
      await this.#emit(project, { ...column, isDefault: true }, 'edited', actorId, { before: {} });
    });
  }

  /** Columns in this order, and after them those that are not named; Invalid for one of another board. */
  reorder(projectId: number, ids: readonly number[], actorId: number): Promise<void> {
    const { database } = this.deps;
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) throw Invalid(t.later('error.columnTwice', { id: twice }));
    return database.write(async () => {
      const project = await lockOpenProject(database, projectId);
      const present = await this.#rows(projectId);
      const byId = new Map(present.map((row) => [row.id, row]));
      const foreign = ids.find((id) => !byId.has(id));
      if (foreign !== undefined) throw Invalid(t.later('error.foreignColumn', { id: foreign }));
      const named = new Set(ids);
      const order = [...ids.map((id) => byId.get(id)!), ...present.filter(({ id }) => !named.has(id))];
      for (const [index, row] of order.entries()) {
        if (row.sorting === index) continue;
        await database.query(ColumnRow).findById(row.id).patch({ sorting: index, updated_at: Date.now() });
        await this.#emit(project, toColumn(row), 'moved', actorId);
      }
    });
  }

  /** In the caller's transaction, with the board locked: the column of issues that are put on it without saying where. */
  async defaultOf(projectId: number, actorId: number): Promise<ProjectColumn> {
    const rows = await this.#rows(projectId);
    const row = rows.find((row) => row.is_default) ?? rows[0];
    if (row) return toColumn(row);
    const [column] = await this.insert(projectId, [{ title: this.#uncategorized() }], actorId);
    return column!;
  }

  /** In the language of the site: the title is stored, and read by all. */
  #uncategorized(): string {
    const { languages } = this.deps;
    return languages.in(languages.offered()[0]?.tag ?? '', () => t('column.uncategorized'));
  }

  async #defaultRow(projectId: number): Promise<ColumnRow> {
    const row = await this.deps.database.query(ColumnRow).findOne({ project_id: projectId, is_default: true });
    if (!row) throw NotFound('column');
    return row;
  }

  async #rows(projectId: number): Promise<ColumnRow[]> {
    return (await this.deps.database.query(ColumnRow).where('project_id', projectId)).sort(byPlace);
  }

  #emit(
    { id: projectId, repositoryId, ownerId }: Project,
    { id: columnId, title }: ProjectColumn,
    action: ProjectColumnEvent['action'],
    actorId: number,
    more: Pick<ProjectColumnEvent, 'before' | 'record'> = {},
  ): Promise<void> {
    const at = Date.now();
    return this.deps.events.emit(projectColumnChanged, {
      projectId,
      repositoryId,
      ownerId,
      columnId,
      title,
      action,
      actorId,
      at,
      ...more,
    });
  }
}
