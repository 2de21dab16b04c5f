import type { Database } from '@mortise/plugin-sdk';
import { lengthOf } from './row-length.js';

/** Of a statement without its values, about. */
const statementBytes = 64 * 1024;
/** Bytes that a code unit of UTF-16 takes at most, escaped. */
const maxBytesOfUnit = 6;

/** MySQL and MariaDB refuse statements beyond `max_allowed_packet`, and end the connection. */
export class PacketLimit {
  #bytes: Promise<number> | undefined;

  constructor(private readonly database: Database) {}

  /** Whether an insert of the row alone is beyond it. */
  async excludes(row: Readonly<Record<string, unknown>>): Promise<boolean> {
    if (this.database.engine !== 'mysql') return false;
    const limit = await (this.#bytes ??= this.#read());
    if (lengthOf(row) * maxBytesOfUnit + statementBytes <= limit) return false;
    const { escape } = await import('mysql2');
    const bytes = Object.values(row).reduce<number>(
      (sum, value) => sum + Buffer.byteLength(escape(Buffer.isBuffer(value) ? value : String(value))),
      0,
    );
    return bytes + statementBytes > limit;
  }

  async #read(): Promise<number> {
    const [[row]] = (await this.database.knex().raw('select @@max_allowed_packet as bytes')) as [{ bytes: number }[]];
    return Number(row?.bytes ?? Infinity);
  }
}
