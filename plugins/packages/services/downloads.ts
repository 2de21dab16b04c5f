import {
  contentDisposition,
  hasCopy,
  reply,
  serveDownload,
  type Database,
  type Logger,
  type Reply,
} from '@mortise/plugin-sdk';
import type { PackageFile } from '../api.js';
import { VersionRow } from '../models/rows.js';
import { keyOf, type Blobs } from './blobs.js';

/** Answers downloads; counts them aside and writes the counts now and then. */
export class Downloads {
  private counts = new Map<number, number>();
  private written: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly blobs: Blobs,
    private readonly log: Logger,
  ) {}

  async answer(
    file: PackageFile,
    { method, headers }: { method: string; headers: Readonly<Record<string, string | undefined>> },
  ): Promise<Reply> {
    const head = method === 'HEAD';
    if (!head && file.isLead) this.counts.set(file.versionId, (this.counts.get(file.versionId) ?? 0) + 1);
    if (!head && !hasCopy({ headers: { ...headers } }, file.sha256)) {
      const elsewhere = await this.blobs.area.signedUrl(keyOf(file.sha256), { fileName: file.name });
      if (elsewhere) return reply.redirect(elsewhere);
    }
    const answer = await serveDownload(
      {
        size: file.size,
        type: 'application/octet-stream',
        tag: file.sha256,
        modifiedAt: file.createdAt,
        open: (part) => this.blobs.open(file.sha256, part),
      },
      { method, headers: { ...headers } },
    );
    return answer
      .header('content-disposition', named(file.name))
      .header('access-control-expose-headers', 'Content-Disposition');
  }

  /** Done when everything is written, also what another call had begun to write. */
  flush(): Promise<void> {
    return (this.written = this.written.then(() => this.write()));
  }

  private async write(): Promise<void> {
    if (this.counts.size === 0) return;
    const counts = this.counts;
    this.counts = new Map();
    try {
      await this.database.write(async () => {
        for (const [id, by] of counts)
          await this.database.query(VersionRow).where({ id }).increment('download_count', by);
      });
    } catch (error) {
      for (const [id, by] of counts) this.counts.set(id, (this.counts.get(id) ?? 0) + by);
      this.log.warn('downloads were not counted yet', { error: (error as Error).message });
    }
  }
}

/** Clients of package formats read the name without quotes where it needs none. */
function named(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  return plain === name && /^[\w.!#$&+^`|~-]+$/.test(plain)
    ? `attachment; filename=${plain}`
    : contentDisposition('attachment', name);
}
