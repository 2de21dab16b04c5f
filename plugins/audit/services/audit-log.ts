import { Readable } from 'node:stream';
import { contentDisposition, reply, type Reply } from '@mortise/plugin-sdk';
import { exportFormats } from './export.js';
import type { Filter, Finder, Scope } from './finder.js';
import { toApiEntry } from './presenter.js';

/** Reads logs, and exports them. */
export class AuditLog {
  constructor(
    readonly finder: Finder,
    private readonly maxExport: number,
  ) {}

  /** A download of all that matches, newest first, up to the limit; it is read while it is sent. */
  export(scope: Scope, filter: Filter, format: 'csv' | 'jsonl'): Reply {
    const { contentType, extension, head, line } = exportFormats[format];
    const rows = this.finder.all(scope, filter, this.maxExport);
    async function* lines() {
      if (head) yield head;
      for await (const row of rows) yield line(toApiEntry(row, scope));
    }
    return reply
      .bytes(Readable.from(lines(), { objectMode: false }), contentType)
      .header('content-disposition', contentDisposition('attachment', `audit-log.${extension}`));
  }
}
