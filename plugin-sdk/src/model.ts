import type { Pojo } from 'objection';
import { Model } from './objection.js';

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
