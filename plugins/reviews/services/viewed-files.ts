import { createHash } from 'node:crypto';
import type { Database } from '@mortise/plugin-sdk';
import type { FileChange } from '@mortise/git/api';
import { ViewedFileRow } from '../models/viewed-file.js';

/** What somebody has looked at; another content is another mark. */
export const markOf = ({ path, oid, mode }: Pick<FileChange, 'path' | 'oid' | 'mode'>): string =>
  createHash('sha256').update(`${path}\0${oid}\0${mode}`).digest('hex').slice(0, 40);

/** What `path_hash` is of a path. */
export const pathHashOf = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 40);

/** Changed files that accounts have ticked off. A file that changes again has another mark, and is open again. */
export class ViewedFiles {
  constructor(private readonly database: Database) {}

  /** Marks of one account. */
  async of(issueId: number, userId: number): Promise<ReadonlySet<string>> {
    const rows = await this.database.query(ViewedFileRow).where({ issue_id: issueId, user_id: userId });
    return new Set(rows.map((row) => row.mark));
  }

  async set(issueId: number, userId: number, change: FileChange, isViewed: boolean): Promise<void> {
    const mark = markOf(change);
    const path = pathHashOf(change.path);
    const { database } = this;
    await database.write(async () => {
      // one row for a path, so that there are never more than files
      await database.query(ViewedFileRow).delete().where({ issue_id: issueId, user_id: userId, path_hash: path });
      if (isViewed)
        await database.query(ViewedFileRow).insert({ issue_id: issueId, user_id: userId, path_hash: path, mark });
    });
  }
}
