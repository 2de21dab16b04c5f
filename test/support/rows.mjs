// Rows for every table that there is, made from what the tables say of themselves, and read back for comparison.

import { createHash } from 'node:crypto';

/** Columns of a table: { name, type, length, isKey, isNullable, isGenerated, refersTo }. */
async function columnsOf(host, table) {
  const knex = host.database.knex();
  if (host.database.engine === 'sqlite') {
    const keys = await knex.raw(
      `select "table" as parent, "from" as name, "to" as target from pragma_foreign_key_list('${table}')`,
    );
    const columns = await knex.raw(`select * from pragma_table_xinfo('${table}')`);
    return columns.map(({ name, type, notnull, pk, hidden }) => ({
      name,
      type: type.toLowerCase(),
      length: Number(/\((\d+)/.exec(type)?.[1] ?? 0),
      isKey: pk > 0,
      isNullable: !notnull && pk === 0,
      isGenerated: hidden > 1,
      refersTo: keys.find((key) => key.name === name),
    }));
  }
  const [columns] = await knex.raw(
    'select column_name as name, column_type as type, is_nullable as nullable, column_key as ckey, extra, character_maximum_length as length from information_schema.columns where table_schema = database() and table_name = ? order by ordinal_position',
    [table],
  );
  const [keys] = await knex.raw(
    'select column_name as name, referenced_table_name as parent, referenced_column_name as target from information_schema.key_column_usage where table_schema = database() and table_name = ? and referenced_table_name is not null',
    [table],
  );
  return columns.map(({ name, type, nullable, ckey, extra, length }) => ({
    name,
    type,
    length: Math.min(Number(length ?? 0), 60_000),
    isKey: ckey === 'PRI',
    isNullable: nullable === 'YES',
    isGenerated: /GENERATED/.test(extra),
    refersTo: keys.find((key) => key.name === name),
  }));
}

async function tablesOf(host) {
  const knex = host.database.knex();
  const names =
    host.database.engine === 'sqlite'
      ? (await knex.raw("select name from pragma_table_list where schema = 'main' and type = 'table'")).map(
          ({ name }) => name,
        )
      : (
          await knex.raw('select table_name as name from information_schema.tables where table_schema = database()')
        )[0].map(({ name }) => name);
  return names.filter((name) => !name.startsWith('sqlite_') && name !== 'migration').sort();
}

const awkward = `ü 漢字 😀 \\ ' " % _ \n\t`;

function valueOf(table, column, n) {
  const { type, length, refersTo, name } = column;
  if (refersTo) return refersTo.parent === table ? null : n;
  if (/^bool|tinyint\(1\)/.test(type)) return n % 2;
  if (/^bigint/.test(type) && !column.isKey) return n === 2 ? Number.MAX_SAFE_INTEGER : n * 1_000_003;
  if (/int/.test(type)) return column.isKey ? n : n * 7;
  if (/blob|binary/.test(type)) return Buffer.from([0, n, 255]);
  if (/real|float|double|decimal/.test(type)) return n + 0.5;
  const text = `${n}${name} ${awkward}`;
  return length ? text.slice(0, Math.min(length, 40)).replace(/[\ud800-\udbff]$/, '') : text + 'long '.repeat(3000);
}

/** Four rows in every table, of which the last is deleted where the id counts by itself; the typed ones by hand. */
export async function fillEveryTable(host) {
  const { database } = host;
  const names = await tablesOf(host);
  const columns = new Map();
  for (const name of names) columns.set(name, await columnsOf(host, name));
  const left = new Set(names.filter((name) => !name.startsWith('typed_')));
  while (left.size) {
    const ready = [...left].filter((name) =>
      columns.get(name).every(({ refersTo }) => !refersTo || refersTo.parent === name || !left.has(refersTo.parent)),
    );
    if (ready.length === 0) throw new Error(`foreign keys go round in a circle: ${[...left]}`);
    for (const name of ready) {
      left.delete(name);
      await database.write(async () => {
        await database.knex()(name).delete();
        for (const n of [1, 2, 3]) {
          const row = {};
          for (const column of columns.get(name)) {
            if (column.isGenerated) continue;
            row[column.name] = n === 3 && column.isNullable ? null : valueOf(name, column, n);
          }
          await database.knex()(name).insert(row);
        }
      });
    }
  }
  await database.write(async () => {
    const knex = database.knex();
    await knex('typed_parent').insert({ code: 'p1', follows: null });
    await knex('typed_parent').insert({ code: 'p0', follows: 'p1' });
    await knex('typed_value').insert([
      {
        parent: 'p1',
        truth: true,
        large: '9223372036854775807',
        bytes: Buffer.from('00ff0a27', 'hex'),
        document: JSON.stringify({ a: [1, 'ü', null] }),
        moment: '2024-02-29 23:59:59.123',
        day: '2024-02-29',
        real_number: 0.1,
        money: 12345.67,
        words: awkward,
      },
      {
        parent: 'p0',
        truth: false,
        large: '-9223372036854775808',
        bytes: Buffer.alloc(0),
        document: '[]',
        moment: '1970-01-01 00:00:00.000',
        day: '1970-01-01',
        real_number: -1e300,
        money: -0.01,
        words: 'a needle in hay '.repeat(8000),
      },
      { parent: null, large: 0, truth: null, words: '' },
      {},
      {},
    ]);
    await knex('typed_value').where('id', 5).delete();
  });
}

const shown = (value) => {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return `bytes ${value.toString('hex')}`;
  if (typeof value === 'object') return JSON.stringify(value);
  if (value.length > 100)
    return `${value.slice(0, 50)}… ${value.length} ${createHash('sha256').update(value).digest('hex')}`;
  // an engine without decimals gives numbers where the other gives text
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
};

/** Table → rows as they compare on both engines. */
export async function readEveryTable(host) {
  const tables = {};
  for (const name of await tablesOf(host)) {
    const rows = await host.database.knex()(name).select('*');
    tables[name] = rows
      .map((row) =>
        Object.fromEntries(Object.entries(row).map(([key, value]) => [key, key === 'large' ? 0 : shown(value)])),
      )
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return tables;
}
