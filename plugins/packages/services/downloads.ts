import { reply, type Database, type Logger, type Reply } from '@mortise/plugin-sdk';
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
    const unchanged = headers['if-none-match']
      ?.split(',')
      .some((tag) => tag.trim().replace(/^W\//, '') === `"${file.sha256}"`);
    if (unchanged) return described(reply.empty(304), file);
    if (!head) {
      const elsewhere = await this.blobs.area.signedUrl(keyOf(file.sha256), { fileName: file.name });
      if (elsewhere) return reply.redirect(elsewhere);
    }
    const range = rangeOf(headers, file);
    if (range === 'outside') return described(reply.empty(416), file).header('content-range', `bytes */${file.size}`);
    const answer = head
      ? reply.bytes(Buffer.alloc(0), 'application/octet-stream')
      : reply.bytes(await this.blobs.open(file.sha256, range), 'application/octet-stream', range ? 206 : 200);
    if (range) answer.header('content-range', `bytes ${range.start}-${range.end}/${file.size}`);
    return described(answer, file).header('content-length', String(range ? range.end - range.start + 1 : file.size));
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

function described(answer: Reply, file: PackageFile): Reply {
  const plain = file.name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const quoted = /^[\w.!#$&+^`|~-]+$/.test(plain) ? plain : `"${plain}"`;
  const extended = plain === file.name ? '' : `; filename*=UTF-8''${encodeURIComponent(file.name)}`;
  return answer
    .header('etag', `"${file.sha256}"`)
    .header('last-modified', new Date(file.createdAt).toUTCString())
    .header('accept-ranges', 'bytes')
    .header('content-disposition', `attachment; filename=${quoted}${extended}`)
    .header('access-control-expose-headers', 'Content-Disposition')
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    .header('x-content-type-options', 'nosniff');
}

/** One range; several are answered with everything. */
function rangeOf(
  headers: Readonly<Record<string, string | undefined>>,
  file: PackageFile,
): { start: number; end: number } | 'outside' | undefined {
  const parts = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '');
  if (!parts || (!parts[1] && !parts[2])) return undefined;
  const condition = headers['if-range'];
  if (condition && condition !== `"${file.sha256}"` && condition !== new Date(file.createdAt).toUTCString())
    return undefined;
  const start = parts[1] ? Number(parts[1]) : Math.max(0, file.size - Number(parts[2]));
  const end = parts[1] && parts[2] ? Math.min(Number(parts[2]), file.size - 1) : file.size - 1;
  return start >= file.size || end < start ? 'outside' : { start, end };
}
