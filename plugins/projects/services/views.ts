import { Invalid, NotFound, type Database } from '@mortise/plugin-sdk';
import { projectLimits } from '../api.js';
import type { ProjectView, ViewLayout } from '../contract/fields.js';
import { toView, ViewRow } from '../models/view.js';
import { t } from '../texts/index.js';
import { lockOpenProject } from './project-lock.js';
import { isId } from './project-reader.js';
import { titleOf } from './titles.js';

export const { viewTitle: maxViewTitle, viewFilter: maxFilter, views: maxViews } = projectLimits;
const maxOptions = projectLimits.viewOptions;

export interface ViewChanges {
  readonly title?: string;
  readonly layout?: ViewLayout;
  readonly filter?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** In the place of the view that was the default until now. */
  readonly isDefault?: boolean;
}

function columnsOf({ title, layout, filter, options, isDefault }: ViewChanges) {
  if (options && JSON.stringify(options).length > maxOptions)
    throw Invalid(t.later('error.viewOptions', { max: maxOptions }));
  return {
    ...(title !== undefined && { title: titleOf(title, maxViewTitle) }),
    ...(layout && { layout }),
    ...(filter !== undefined && { filter: filter.slice(0, maxFilter) }),
    ...(options && { options: { ...options } }),
    ...(isDefault !== undefined && { is_default: isDefault }),
  };
}

/** Ways of looking at boards, kept for all who see them. Does not check permissions; callers must. */
export class ViewService {
  constructor(private readonly database: Database) {}

  async list(projectId: number): Promise<ProjectView[]> {
    return (await this.#rows(projectId)).map(toView);
  }

  /** NotFound for one of another board. */
  async of(projectId: number, id: number): Promise<ProjectView> {
    const row = isId(id) ? await this.database.query(ViewRow).findOne({ id, project_id: projectId }) : undefined;
    if (!row) throw NotFound('view');
    return toView(row);
  }

  create(projectId: number, given: ViewChanges & { readonly title: string }, actorId: number): Promise<ProjectView> {
    return this.database.write(async () => {
      await lockOpenProject(this.database, projectId);
      const present = await this.#rows(projectId);
      if (present.length >= maxViews) throw Invalid(t.later('error.tooManyViews', { max: maxViews }));
      if (given.isDefault) await this.#clearDefault(projectId);
      const { id } = await this.database.query(ViewRow).insert({
        project_id: projectId,
        layout: 'columns',
        filter: '',
        options: {},
        ...columnsOf(given),
        sorting: Math.max(-1, ...present.map(({ sorting }) => sorting)) + 1,
        creator_id: actorId,
        created_at: Date.now(),
      });
      return this.of(projectId, id);
    });
  }

  edit(projectId: number, id: number, changes: ViewChanges): Promise<ProjectView> {
    return this.database.write(async () => {
      await lockOpenProject(this.database, projectId);
      await this.of(projectId, id);
      const columns = columnsOf(changes);
      if (changes.isDefault) await this.#clearDefault(projectId);
      if (Object.keys(columns).length) await this.database.query(ViewRow).findById(id).patch(columns);
      return this.of(projectId, id);
    });
  }

  /** One position up or down among the views of the board; the first and the last stay. */
  shift(projectId: number, id: number, by: -1 | 1): Promise<void> {
    return this.database.write(async () => {
      await lockOpenProject(this.database, projectId);
      const rows = await this.#rows(projectId);
      const index = rows.findIndex((row) => row.id === id);
      if (index < 0) throw NotFound('view');
      const other = rows[index + by];
      if (!other) return;
      rows[index + by] = rows[index]!;
      rows[index] = other;
      for (const [sorting, row] of rows.entries())
        if (row.sorting !== sorting) await this.database.query(ViewRow).findById(row.id).patch({ sorting });
    });
  }

  delete(projectId: number, id: number): Promise<void> {
    return this.database.write(async () => {
      await lockOpenProject(this.database, projectId);
      if (!(await this.database.query(ViewRow).delete().where({ id, project_id: projectId }))) throw NotFound('view');
    });
  }

  #rows(projectId: number): Promise<ViewRow[]> {
    return this.database.query(ViewRow).where('project_id', projectId).orderBy('sorting').orderBy('id').execute();
  }

  async #clearDefault(projectId: number): Promise<void> {
    const present = this.database.query(ViewRow).where({ project_id: projectId, is_default: true });
    await present.patch({ is_default: false });
  }
}
