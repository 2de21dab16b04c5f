import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

/**
 * Statements of migrations that have not ended yet, by a hash: here a change of tables commits by itself, so a migration
 * that fails, or whose process is killed, leaves what it did up to there. The next start leaves out what is in this table.
 */
export const stepTable = 'migration_step';

interface Query {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
}
interface TransactionClient {
  _query(connection: unknown, query: Query): Promise<Query>;
}

const defines = /^\s*(create|alter|drop|rename|truncate)\b/i;
const changes = /^\s*(insert|update|delete|replace|with)\b/i;
/** What a change says that was made already: table, column, key or constraint exists, or is gone. */
const madeAlready = new Set([1050, 1051, 1060, 1061, 1091, 1826]);

/**
 * Runs `work`, a migration, so that it can be run again after it failed in the middle. Rows that it changes are written
 * down in the same commit as they; a change of tables right after it, and whether it was made just before the process
 * died is told by the server's refusal to make it again.
 */
export async function inSteps(
  knex: Knex,
  migration: string,
  work: () => Promise<void>,
  check: (sql: string) => void = () => undefined,
): Promise<void> {
  const { client } = knex as unknown as { client: TransactionClient };
  const plain = client._query.bind(client);
  const rows = await knex(stepTable).where({ migration }).pluck<string[]>('step');
  const isAgain = rows.length > 0;
  const done = new Set(rows);
  const seen = new Map<string, number>();
  let isWriting = false;
  const store = async (step: string) => {
    isWriting = true;
    await knex(stepTable).insert({ migration, step });
    isWriting = false;
  };
  if (!isAgain) {
    await store('');
    await knex.raw('commit');
  }
  client._query = async (connection, query) => {
    if (!isWriting) check(query.sql);
    const isDefinition = defines.test(query.sql);
    if (isWriting || !(isDefinition || changes.test(query.sql))) return plain(connection, query);
    const text = JSON.stringify([query.sql, query.bindings ?? []]);
    const count = seen.get(text) ?? 0;
    seen.set(text, count + 1);
    const step = createHash('sha256').update(`${count} ${text}`).digest('hex');
    if (done.has(step)) {
      query.response = [{ affectedRows: 0, insertId: 0, changedRows: 0 }, undefined];
      return query;
    }
    try {
      await plain(connection, query);
    } catch (error) {
      if (!isAgain || !isDefinition || !madeAlready.has(Number((error as { errno?: number }).errno))) throw error;
      query.response = [{ affectedRows: 0, insertId: 0, changedRows: 0 }, undefined];
    }
    await store(step);
    if (isDefinition) await knex.raw('commit');
    return query;
  };
  try {
    await work();
  } finally {
    client._query = plain;
  }
  await knex(stepTable).where({ migration }).delete();
}
