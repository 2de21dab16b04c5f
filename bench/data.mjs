// Rows for the tables of a stopped server: through the API very many would take hours.

const rowsOfStep = 500;

/** Inserts in steps: SQLite takes a bounded number of values with one statement. */
export async function insert(knex, table, rows) {
  if (rows.length === 0) return;
  const step = Math.min(rowsOfStep, Math.floor(30_000 / Object.keys(rows[0]).length));
  for (let from = 0; from < rows.length; from += step) await knex(table).insert(rows.slice(from, from + step));
}

export const each = (count, make) => Array.from({ length: count }, (_, n) => make(n));
