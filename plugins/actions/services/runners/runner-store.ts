import { pageOf, NotFound, type AuditedAct, type Database, type Events } from '@mortise/plugin-sdk';
import type { Runner, RunnerFilter, Runners } from '../../contract/runners.js';
import { scopesOf, type ActionScope, type ScopedRepository } from '../../contract/scopes.js';
import type { TaskQueue } from '../../contract/tasks.js';
import { RunnerRow } from '../../models/runner.js';
import { auditInScope } from '../audited-scope.js';
import { fits, toRunner, whereScope } from './runner-records.js';
import type { RunnerActivity } from './runner-activity.js';

const orders = {
  newest: ['id', 'desc'],
  oldest: ['id', 'asc'],
  alphabetically: ['name', 'asc'],
  reversealphabetically: ['name', 'desc'],
} as const;

/** Increases the version that runners of a scope poll. */
type ScopeBump = { bumpScope(scope: ActionScope): Promise<void> } & TaskQueue;

export class RunnerStore implements Runners {
  constructor(
    private readonly database: Database,
    private readonly runnerActivity: RunnerActivity,
    private readonly queue: ScopeBump,
    private readonly events: Events,
  ) {}

  async byIds(ids: readonly number[]): Promise<Map<number, Runner>> {
    const rows = ids.length ? await this.database.query(RunnerRow).findByIds([...new Set(ids)]) : [];
    return new Map((await this.present(rows)).map((runner) => [runner.id, runner]));
  }

  async cancelling(ids: readonly number[]): Promise<ReadonlySet<number>> {
    if (ids.length === 0) return new Set();
    const rows = await this.database
      .query(RunnerRow)
      .select('id')
      .whereIn('id', [...ids])
      .where('can_cancel', true);
    return new Set(rows.map(({ id }) => id));
  }

  async usableFor(repository: ScopedRepository): Promise<Runner[]> {
    const query = this.database.query(RunnerRow).where((either) => {
      for (const scope of scopesOf(repository)) void either.orWhere(whereScope(scope));
    });
    return this.present(await query.orderBy('id').limit(1000));
  }

  fits(runner: Pick<Runner, 'labels'>, runsOn: readonly string[]): boolean {
    return fits(runner, runsOn);
  }

  async list(
    { scope, isDisabled, text, sort = 'oldest' }: RunnerFilter,
    page: { limit: number; offset: number },
  ): Promise<{ items: Runner[]; total: number }> {
    const query = this.database.query(RunnerRow);
    if (scope) void query.where(whereScope(scope));
    if (isDisabled !== undefined) void query.where('is_disabled', isDisabled);
    if (text) void query.where('name', 'like', `%${text.replace(/[\\%_]/g, '')}%`);
    const [column, direction] = orders[sort];
    const { rows, total } = await pageOf(query.orderBy([{ column, order: direction }, { column: 'id' }]), page);
    return { items: await this.present(rows), total };
  }

  async find(id: number, scope?: ActionScope): Promise<Runner> {
    return (await this.present([await this.#row(id, scope)]))[0]!;
  }

  async setDisabled(id: number, isDisabled: boolean, scope?: ActionScope): Promise<Runner> {
    await this.database.write(async () => {
      const row = await this.#row(id, scope);
      if (row.is_disabled === isDisabled) return;
      await this.database.query(RunnerRow).findById(row.id).patch({ is_disabled: isDisabled, updated_at: Date.now() });
      await this.queue.bumpScope({ ownerId: row.owner_id, repositoryId: row.repository_id });
      await this.#audit('edit', row, { isDisabled });
    });
    return this.find(id, scope);
  }

  async describe(id: number, description: string, scope?: ActionScope): Promise<Runner> {
    await this.database.write(async () => {
      const row = await this.#row(id, scope);
      const cut = [...description].slice(0, 255).join('');
      await this.database.query(RunnerRow).findById(row.id).patch({ description: cut, updated_at: Date.now() });
      await this.#audit('edit', row, { changed: ['description'] });
    });
    return this.find(id, scope);
  }

  remove(id: number, scope?: ActionScope): Promise<void> {
    return this.database.write(async () => {
      const row = await this.#row(id, scope);
      await this.database.query(RunnerRow).deleteById(row.id);
      await this.#audit('delete', row);
    });
  }

  #audit(verb: 'edit' | 'delete', row: RunnerRow, details: AuditedAct['details'] = {}): Promise<void> {
    const scope = { ownerId: row.owner_id, repositoryId: row.repository_id };
    const target = { kind: 'runner', id: row.id, name: row.name };
    return auditInScope(this.events, scope, { action: `runner.${verb}`, target, details });
  }

  async present(rows: readonly RunnerRow[]): Promise<Runner[]> {
    const useOf = await this.runnerActivity.of(rows.map(({ id }) => id));
    const now = Date.now();
    return rows.map((row) => toRunner(row, useOf(row.id), now));
  }

  async #row(id: number, scope: ActionScope | undefined): Promise<RunnerRow> {
    const row = await this.database.query(RunnerRow).findById(id);
    const isOther = scope && (row?.owner_id !== scope.ownerId || row.repository_id !== scope.repositoryId);
    if (!row || isOther) throw NotFound('runner');
    return row;
  }
}
