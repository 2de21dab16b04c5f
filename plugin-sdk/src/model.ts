import { Model, type Pojo, type QueryBuilder } from 'objection';

/**
 * Base of all models. Engines disagree on booleans (SQLite gives 0 and 1, MySQL too); a model lists its columns and
 * reads and writes the same JavaScript values everywhere:
 *
 *     class Star extends BaseModel {
 *       static override tableName = 'star';
 *       static override booleans = ['is_private'];
 *       static override json = ['topics'];
 *       declare id: number;
 *       declare is_private: boolean;
 *       declare topics: string[];
 *     }
 *
 * Use `declare` for the fields: an initialised class field would overwrite what was read.
 */
export class BaseModel extends Model {
  /** Columns read as true or false. */
  static booleans: readonly string[] = [];
  /** Columns that hold JSON text. */
  static json: readonly string[] = [];

  static override get jsonAttributes(): string[] {
    return [...this.json];
  }

  override $parseDatabaseJson(json: Pojo): Pojo {
    const row = super.$parseDatabaseJson(json);
    for (const column of (this.constructor as typeof BaseModel).booleans) {
      const value: unknown = row[column];
      if (value !== undefined && value !== null && typeof value !== 'boolean') row[column] = Number(value) !== 0;
    }
    return row;
  }
}

/**
 * One page of what a query finds, in the order of the query, and how many there are in all: these are counted only where
 * the page does not tell.
 */
export async function pageOf<M extends Model>(
  query: QueryBuilder<M>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ rows: M[]; total: number }> {
  const rows = limit > 0 ? await query.clone().limit(limit).offset(offset) : [];
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  return { rows, total: isLast ? offset + rows.length : await query.clone().clearOrder().resultSize() };
}
