import { SqliteQueryCompiler } from './knex.js';

/**
 * Inserts many rows with VALUES. knex writes `select … union all select …` for SQLite, which ends at 500 rows; VALUES
 * ends at 32766 values.
 */
export class InsertingCompiler extends SqliteQueryCompiler {
  override insert(): unknown {
    const { insert: rows, onConflict, ignore, merge, returning } = this.single;
    if (!Array.isArray(rows) || rows.length < 2) return super.insert();
    const data = this._prepInsert(rows);
    if (typeof data === 'string' || data.columns.length === 0) return super.insert();
    let sql = `${this.with()}insert into ${this.tableName} (${this.formatter.columnize(data.columns)}) values `;
    sql += data.values
      .map(
        (row) =>
          `(${data.columns.map((_column, at) => this.client.parameter(row[at], this.builder, this.bindingsHolder)).join(', ')})`,
      )
      .join(', ');
    if (onConflict && ignore) sql += this._ignore(onConflict);
    else if (onConflict && merge) {
      sql += this._merge(merge.updates, onConflict, rows);
      const wheres = this.where();
      if (wheres) sql += ` ${wheres}`;
    }
    if (returning) sql += this._returning(returning);
    return { sql, returning };
  }
}
