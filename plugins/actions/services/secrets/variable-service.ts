import {
  Conflict,
  NotFound,
  pageOf,
  refuseDuplicate,
  type AuditedAct,
  type Database,
  type Events,
} from '@mortise/plugin-sdk';
import { environmentScope, scopesOf, type ActionScope, type ScopedRepository } from '../../contract/scopes.js';
import type { Variable, Variables } from '../../contract/secrets.js';
import { VariableRow } from '../../models/variable.js';
import { t } from '../../texts/index.js';
import { auditInScope } from '../audited-scope.js';
import { checkedName, checkedValue, cutDescription, nameOf, withUnixLineEnds } from './secret-names.js';
import { lockEnvironment, inScope } from './value-scope.js';

const toVariable = (row: VariableRow): Variable => ({
  scope: {
    ownerId: row.owner_id,
    repositoryId: row.repository_id,
    ...(row.environment_id && { environmentId: row.environment_id }),
  },
  name: row.name,
  value: row.value,
  description: row.description,
});

export class VariableService implements Variables {
  constructor(
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  async list(
    scope: ActionScope,
    page: { limit: number; offset: number },
  ): Promise<{ items: Variable[]; total: number }> {
    const query = this.database.query(VariableRow).where(inScope(scope)).orderBy('name');
    const { rows, total } = await pageOf(query, page);
    return { items: rows.map(toVariable), total };
  }

  async find(scope: ActionScope, name: string): Promise<Variable> {
    return toVariable(await this.#row(scope, name));
  }

  async create(scope: ActionScope, given: Omit<Variable, 'scope'>): Promise<void> {
    const name = checkedName(given.name);
    const now = Date.now();
    await this.#named(name, async () => {
      const audited = await lockEnvironment(this.database, scope);
      await this.database.query(VariableRow).insert({
        ...inScope(scope),
        name,
        value: checkedValue(withUnixLineEnds(given.value)),
        description: cutDescription(given.description),
        created_at: now,
        updated_at: now,
      });
      await this.#audit('create', scope, name, audited);
    });
  }

  async update(scope: ActionScope, name: string, given: Omit<Variable, 'scope'>): Promise<void> {
    const row = await this.#row(scope, name);
    const newName = checkedName(given.name);
    await this.#named(newName, async () => {
      const audited = await lockEnvironment(this.database, scope);
      const changed = await this.database
        .query(VariableRow)
        .findById(row.id)
        .patch({
          name: newName,
          value: checkedValue(withUnixLineEnds(given.value)),
          description: cutDescription(given.description),
          updated_at: Date.now(),
        });
      if (changed === 0) throw NotFound('variable');
      await this.#audit('edit', scope, newName, audited);
    });
  }

  remove(scope: ActionScope, name: string): Promise<void> {
    return this.database.write(async () => {
      const audited = await lockEnvironment(this.database, scope);
      const gone = await this.database
        .query(VariableRow)
        .delete()
        .where({ ...inScope(scope), name: nameOf(name) });
      if (gone === 0) throw NotFound('variable');
      await this.#audit('delete', scope, nameOf(name), audited);
    });
  }

  async variablesOf(repository: ScopedRepository, environmentId?: number): Promise<Record<string, string>> {
    const scopes = [
      ...scopesOf(repository),
      ...(environmentId ? [environmentScope(repository.id, environmentId)] : []),
    ];
    const rows = await this.database
      .query(VariableRow)
      .where((either) => {
        for (const scope of scopes) void either.orWhere(inScope(scope));
      })
      .limit(3000);
    const rank = (row: VariableRow) => (row.environment_id ? 3 : row.repository_id ? 2 : row.owner_id ? 1 : 0);
    return Object.fromEntries(rows.sort((a, b) => rank(a) - rank(b)).map((row) => [row.name, row.value]));
  }

  #audit(
    verb: 'create' | 'edit' | 'delete',
    scope: ActionScope,
    name: string,
    audited: Pick<AuditedAct, 'details'>,
  ): Promise<void> {
    const target = { kind: 'variable', name };
    return auditInScope(this.events, scope, { action: `variable.${verb}`, target, ...audited });
  }

  async #row(scope: ActionScope, name: string): Promise<VariableRow> {
    const row = await this.database.query(VariableRow).findOne({ ...inScope(scope), name: nameOf(name) });
    if (!row) throw NotFound('variable');
    return row;
  }

  /** The index keeps two from having one name. */
  async #named(name: string, work: () => PromiseLike<unknown>): Promise<void> {
    await refuseDuplicate(Conflict(t.later('error.variableTaken', { name })), () => this.database.write(work));
  }
}
