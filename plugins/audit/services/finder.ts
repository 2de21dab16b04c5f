import type { Database } from '@mortise/plugin-sdk';
import { EntryRow } from '../models/entry.js';

/** Whose log it is. `own`: what a user did, and what was done to their account and their repositories. */
export type Scope = { readonly kind: 'site' } | { readonly kind: 'owner' | 'repository' | 'own'; readonly id: number };

/** What a log is searched by; undefined: anything. Times are milliseconds since 1970 UTC. */
export interface Filter {
  /** Name, in the case in which it was stored. */
  readonly actor?: string;
  /** A whole action (`access_token.create`), or a subject (`access_token`). */
  readonly action?: string;
  /** What the name of the target begins with. */
  readonly target?: string;
  readonly address?: string;
  readonly since?: number;
  readonly until?: number;
  /** Only entries with smaller ids. */
  readonly before?: number;
}

/** The columns that put an entry into a log; each has an index with the id. */
const columnsOf = {
  owner: ['owner_id'],
  repository: ['repository_id'],
  own: ['actor_id', 'user_id', 'owner_id'],
} as const;

const prefix = (text: string): string => `${text.replace(/[!%_]/g, '!$&')}%`;

/** Reads the log, newest first, page by page by key. */
export class Finder {
  constructor(private readonly database: Database) {}

  async list(scope: Scope, filter: Filter, limit: number): Promise<EntryRow[]> {
    if (scope.kind === 'site') return this.#query(scope, filter, limit);
    // each column has an index of its own, and none serves all of them: a page of each holds the page of all
    const lists = await Promise.all(
      columnsOf[scope.kind].map((column) => this.#query(scope, filter, limit).where(column, scope.id)),
    );
    const rows = new Map(lists.flat().map((row) => [row.id, row]));
    return [...rows.values()].sort((a, b) => b.id - a.id).slice(0, limit);
  }

  /** All that matches, at most `max`, in pages. */
  async *all(scope: Scope, filter: Filter, max: number): AsyncIterable<EntryRow> {
    let { before } = filter;
    for (let left = max; left > 0;) {
      const rows = await this.list(scope, { ...filter, before }, Math.min(left, 500));
      yield* rows;
      left -= rows.length;
      before = rows.at(-1)?.id;
      if (before === undefined) return;
    }
  }

  #query(scope: Scope, { actor, action, target, address, since, until, before }: Filter, limit: number) {
    const query = this.database.query(EntryRow).orderBy('id', 'desc').limit(limit);
    if (actor) query.where('actor_name', actor);
    if (action?.includes('.')) query.where('action', action);
    else if (action) query.whereRaw("action like ? escape '!'", [prefix(`${action}.`)]);
    if (target) query.whereRaw("target_name like ? escape '!'", [prefix(target)]);
    if (address) query.where('address', address);
    // what `addressFor` hides cannot be found by it either
    if (address && scope.kind === 'own')
      query.where((own) => own.where({ actor_id: scope.id, sudo_by: 0 }).orWhere('actor_id', 0));
    if (since !== undefined) query.where('created_at', '>=', since);
    if (until !== undefined) query.where('created_at', '<=', until);
    if (before !== undefined) query.where('id', '<', before);
    return query;
  }
}
