import type { Database } from '@mortise/plugin-sdk';
import { CardRow } from '../models/card.js';

/** Between two cards that stand one after the other: room for sixteen cards put between them, one after another. */
export const positionGap = 65_536;

/** Where the last of a column stands, archived cards included; 0 in an empty one. */
export async function lastPosition(database: Database, columnId: number): Promise<number> {
  const row = await database.query(CardRow).where('column_id', columnId).max('position as position').first();
  return Number(row?.position ?? 0);
}

/** Where the next card after a position stands, or the one before it; undefined: there is none. */
export async function neighbour(
  database: Database,
  columnId: number,
  { position, cardId, isBefore = false }: { position: number; cardId: number; isBefore?: boolean },
): Promise<number | undefined> {
  const [than, order] = isBefore ? (['<', 'desc'] as const) : (['>', 'asc'] as const);
  const others = database.query(CardRow).where('column_id', columnId).whereNot('id', cardId);
  const row = await others.where('position', than, position).orderBy('position', order).first();
  return row && Number(row.position);
}

/** In the caller's transaction: gives all cards of a column new positions in the order in which they stand, with gaps. */
export const spreadCards = (database: Database, columnId: number): Promise<void> =>
  rankCards(database, columnId, columnId, 0);

/** In the caller's transaction: all cards of one column to the end of another. */
export async function moveAllCards(database: Database, fromId: number, toId: number): Promise<void> {
  await rankCards(database, fromId, toId, await lastPosition(database, toId));
}

/** One statement for any number of cards; the query builder has no `update` from another table for SQLite. */
async function rankCards(database: Database, fromId: number, toId: number, base: number): Promise<void> {
  const ranked =
    '(select id, row_number() over (order by position, id) as place from project_card where column_id = ?) as ranked';
  const set = `column_id = ?, position = ? + ranked.place * ${positionGap}`;
  const sql =
    database.engine === 'mysql'
      ? `update project_card join ${ranked} on ranked.id = project_card.id set ${set}`
      : `update project_card set ${set} from ${ranked} where ranked.id = project_card.id`;
  const values = database.engine === 'mysql' ? [fromId, toId, base] : [toId, base, fromId];
  await database.knex().raw(sql, values);
}
