import {
  contentDisposition,
  isNotModified,
  reply,
  serveDownload,
  writeBehind,
  type Database,
  type Logger,
  type Reply,
  type WriteBehind,
} from '@mortise/plugin-sdk';
import type { PackageFile } from '../api.js';
import type { DownloadOptions } from '../contract/store.js';
import { VersionRow } from '../models/version.js';
import { blobKey, type Blobs } from './blobs.js';

/** Answers downloads; counts them aside and writes the counts now and then. */
export class Downloads {
  readonly counts: WriteBehind;

  constructor(
    database: Database,
    private readonly blobs: Blobs,
    log: Logger,
  ) {
    this.counts = writeBehind({
      name: 'downloads',
      keep: 'sum',
      delayMs: 5000,
      log,
      write: (counts) =>
        database.write(async () => {
          // all processes in one order, so that none waits for a row of another that waits for its
          for (const [id, by] of [...counts].sort(([one], [other]) => one - other))
            await database.query(VersionRow).where({ id }).increment('download_count', by);
        }),
    });
  }

  async answer(
    file: PackageFile,
    { method, headers }: { method: string; headers: Readonly<Record<string, string | undefined>> },
    { type = 'application/octet-stream', name = file.name, tag = file.sha256, noRedirect }: DownloadOptions = {},
  ): Promise<Reply> {
    const head = method === 'HEAD';
    if (!head && file.isLead) this.counts.add(file.versionId, 1);
    if (!head && !noRedirect && !isNotModified({ headers: { ...headers } }, tag)) {
      const elsewhere = await this.blobs.area.signedUrl(blobKey(file.sha256), name === null ? {} : { fileName: name });
      if (elsewhere) return reply.redirect(elsewhere);
    }
    const answer = await serveDownload(
      {
        size: file.size,
        type,
        tag,
        modifiedAt: file.createdAt,
        open: (part) => this.blobs.open(file.sha256, part),
      },
      { method, headers: { ...headers } },
    );
    if (name === null) return answer;
    return answer
      .header('content-disposition', named(name))
      .header('access-control-expose-headers', 'Content-Disposition');
  }
}

/** Clients of package formats read the name without quotes where it needs none. */
function named(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  return plain === name && /^[\w.!#$&+^`|~-]+$/.test(plain)
    ? `attachment; filename=${plain}`
    : contentDisposition('attachment', name);
}
