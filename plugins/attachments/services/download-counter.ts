import { writeBehind, type Database, type Logger, type WriteBehind } from '@mortise/plugin-sdk';
import { AttachmentRow } from '../models/attachment.js';

/** Downloads by file, written a moment later. */
export const downloadCounter = (database: Database, log: Logger): WriteBehind =>
  writeBehind({
    name: 'downloads',
    keep: 'sum',
    delayMs: 1000,
    log,
    write: (counts) =>
      database.write(async () => {
        for (const [id, by] of counts) await database.query(AttachmentRow).findById(id).increment('download_count', by);
      }),
  });
