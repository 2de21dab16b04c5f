/** Parts of knex that it ships without types. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';
  export interface QueryObject {
    sql: string;
    bindings?: readonly unknown[];
    options?: object;
    output?: unknown;
    timeout?: unknown;
    method?: string;
    response?: unknown;
    context?: { lastID: unknown; changes: number };
  }
  export default class Client extends Knex.Client {
    constructor(config: Knex.Config);
    transacting: boolean;
    pool: unknown;
    _query(connection: unknown, query: QueryObject): Promise<QueryObject>;
    _formatBindings(bindings: readonly unknown[] | undefined): unknown[];
    prepBindings(bindings: readonly unknown[] | undefined): unknown[];
    processResponse(query: QueryObject, runner: unknown): unknown;
    postProcessResponse(response: unknown, context: unknown): unknown;
    runner(builder: unknown): unknown;
    queryCompiler(builder: unknown, bindings: unknown): unknown;
  }
}

declare module 'knex/lib/execution/runner.js' {
  export default class Runner {
    constructor(client: unknown, builder: unknown);
    client: unknown;
    builder: { toSQL(): unknown; queryContext(): unknown };
    run(): Promise<unknown>;
  }
}

declare module 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js' {
  export default class SqliteQueryCompiler {
    constructor(client: unknown, builder: unknown, bindings: unknown);
    single: {
      insert?: unknown;
      onConflict?: unknown;
      ignore?: unknown;
      merge?: { updates: unknown };
      returning?: unknown;
    };
    builder: unknown;
    bindingsHolder: unknown;
    tableName: string;
    client: { parameter(value: unknown, builder: unknown, bindings: unknown): string };
    formatter: { columnize(columns: readonly string[]): string };
    with(): string;
    where(): string;
    insert(): unknown;
    _prepInsert(rows: readonly unknown[]): string | { columns: string[]; values: unknown[][] };
    _ignore(columns: unknown): string;
    _merge(updates: unknown, columns: unknown, rows: readonly unknown[]): string;
    _returning(columns: unknown): string;
  }
}

declare module 'knex/lib/dialects/mysql2/index.js' {
  import type { Transform } from 'node:stream';
  import type { Knex } from 'knex';
  import type { QueryObject } from 'knex/lib/dialects/better-sqlite3/index.js';
  export default class MysqlClient extends Knex.Client {
    _query(connection: unknown, query: QueryObject): Promise<QueryObject>;
    _stream(connection: unknown, query: QueryObject, stream: Transform, options: unknown): Promise<unknown>;
  }
}
