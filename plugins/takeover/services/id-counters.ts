import type { BaseModel, Database, TableMapping } from '@mortise/plugin-sdk';
import type { SourceDatabase } from './source-database.js';

/** Columns of ids take twice as much. A counter beyond it is damaged, and would leave no ids for this site. */
const maxId = 2_000_000_000;

/** The other server gives further ids until the next pass, and this site too: so many are left to it, and a tenth. */
const minHeadroom = 1000;

/**
 * Raises the counters of ids beyond those of the source. Otherwise a new row of this site may get the id of one that is
 * gone from the source, to which rows of the source and other programs still refer; or of one that is still to come,
 * which then could not.
 */
export class IdCounters {
  constructor(private readonly database: Database) {}

  /** Done again, it changes nothing. `report` gets tables whose counter is beyond measure. */
  async raise(
    mappings: readonly TableMapping[],
    source: SourceDatabase,
    report: (problem: string) => void,
  ): Promise<void> {
    for (const { idTable, table } of mappings) {
      if (!idTable || source.faultOf(table, ['id'])) continue;
      const lastId = await source.lastId(table);
      if (lastId > maxId)
        report(`the last id of the table ${table} is ${lastId}: ids of this site do not go on from it`);
      else await this.#raise(idTable, Math.min(maxId, lastId + Math.max(minHeadroom, Math.ceil(lastId / 10))));
    }
  }

  async #raise({ tableName }: typeof BaseModel, lastId: number): Promise<void> {
    if (this.database.engine === 'sqlite') await this.#raiseOnSqlite(tableName, lastId);
    else await this.#raiseOnMysql(tableName, lastId);
  }

  async #raiseOnSqlite(name: string, seq: number): Promise<void> {
    await this.database.write(async () => {
      const rows = () => this.database.knex()('sqlite_sequence');
      const before = await rows().where({ name }).first('seq');
      if (!before) await rows().insert({ name, seq });
      else if (Number(before.seq) < seq) await rows().where({ name }).update({ seq });
    });
  }

  async #raiseOnMysql(name: string, lastId: number): Promise<void> {
    // as the table says it: the statistics of MySQL 8 may be a day old
    const [[row]] = (await this.database.knex().raw('show create table ??', [name])) as [Record<string, unknown>[]];
    const next = Number(/\bAUTO_INCREMENT=(\d+)/.exec(String(row?.['Create Table'] ?? ''))?.[1] ?? 1);
    if (next > lastId) return;
    // commits by itself
    await this.database.write(async () => {
      await this.database.knex().raw(`alter table ?? auto_increment = ${lastId + 1}`, [name]);
    });
  }
}
