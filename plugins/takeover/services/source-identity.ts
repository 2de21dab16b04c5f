import { createHash } from 'node:crypto';
import { Invalid, type Database } from '@mortise/plugin-sdk';
import { TakeoverRow } from '../models/takeover-row.js';
import { TakeoverSource } from '../models/takeover-source.js';
import type { RawRow, SourceDatabase } from './source-database.js';
import type { SourceSettings } from './source-settings.js';

const onlyId = 1;
const secrets = [
  ['security', 'SECRET_KEY'],
  ['security', 'INTERNAL_TOKEN'],
  ['oauth2', 'JWT_SECRET'],
] as const;

function digestOf(settings: SourceSettings): string {
  const values = secrets.map(([section, key]) => settings.text(section, key) ?? '');
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}

const createdAt = (row: RawRow | undefined): number => Number(row?.created_unix ?? 0);

/** Servers with copied secrets differ in when their first user came; one that is gone tells nothing. */
async function matchesFirstUser(source: SourceDatabase, before: TakeoverSource): Promise<boolean> {
  const [row] = await source.rowsWith('user', 'id', [Number(before.first_user_id)]);
  return row === undefined || createdAt(row) === Number(before.first_user_created);
}

/** A site takes over one server: the rows of another one would be taken for changes of the first. */
export class SourceIdentity {
  constructor(private readonly database: Database) {}

  /** Refuses another server than the one whose rows are here, unless the operator says that it is the same. */
  async check(settings: SourceSettings, source: SourceDatabase, isSameServer: boolean): Promise<void> {
    if (isSameServer) return;
    const before = await this.database.query(TakeoverSource).findById(onlyId);
    if (!before || (before.digest === digestOf(settings) && (await matchesFirstUser(source, before)))) return;
    if (!(await this.database.query(TakeoverRow).first())) return;
    throw Invalid(
      `This site takes over the server of ${before.location}, and ${settings.file} is of another one: a pass would ` +
        'remove what has come. If it is the same server with other secrets, add --same-server.',
    );
  }

  async record(settings: SourceSettings, source: SourceDatabase): Promise<void> {
    const [first] = await source.page('user', ['id'], [Number.MIN_SAFE_INTEGER], 1);
    const row = {
      id: onlyId,
      digest: digestOf(settings),
      first_user_id: Number(first?.id ?? 0),
      first_user_created: createdAt(first),
      location: settings.file,
    };
    await this.database.write(async () => {
      await this.database.query(TakeoverSource).findById(onlyId).delete();
      await this.database.query(TakeoverSource).insert(row);
    });
  }
}
