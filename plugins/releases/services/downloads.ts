import { Buffer } from 'node:buffer';
import { byteRange, contentDisposition, reply, type Database, type Logger, type Reply } from '@mortise/plugin-sdk';
import { lookup } from 'mime-types';
import type { ServedFile } from '../api.js';
import { AssetRow } from '../models/rows.js';

/** What browsers may show in a page; all else is saved. */
const shown = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|video\/(?:mp4|webm)|audio\/(?:mpeg|ogg|wav))$/;

interface Asked {
  readonly method: string;
  readonly headers: Record<string, unknown>;
}

/** The wanted part, unless the client has it of another file. */
function partOf(file: ServedFile, headers: Record<string, unknown>): { start: number; end: number } | undefined {
  const condition = headers['if-range'];
  if (condition && condition !== `"${file.sha256}"` && condition !== new Date(file.createdAt).toUTCString())
    return undefined;
  return byteRange(headers.range as string | undefined, file.size);
}

/** Answers with a file: entity tag, ranges, and a fence against anything that would run. */
export async function serve(file: ServedFile, request: Asked): Promise<Reply> {
  const head = request.method.toUpperCase() === 'HEAD';
  const hasIt = String(request.headers['if-none-match'] ?? '').includes(file.sha256 || '-');
  const part = hasIt || head ? undefined : partOf(file, request.headers);
  // Served here; the HTTP library would refuse units that it does not know instead of ignoring them.
  delete request.headers.range;
  if (!head && !hasIt && (part?.start ?? 0) === 0) file.count();
  const elsewhere = await file.elsewhere();
  if (elsewhere) return reply.redirect(elsewhere, 302).header('cache-control', 'no-store');
  const type = lookup(file.name) || 'application/octet-stream';
  const inline = shown.test(type);
  const body = head || hasIt || file.size === 0 ? Buffer.alloc(0) : await file.open(part);
  const answer = reply.bytes(body, inline ? type : 'application/octet-stream', part ? 206 : 200);
  if (part) answer.header('content-range', `bytes ${part.start}-${part.end}/${file.size}`);
  return answer
    .tag(file.sha256)
    .header('content-length', String(part ? part.end - part.start + 1 : file.size))
    .header('accept-ranges', 'bytes')
    .header('last-modified', new Date(file.createdAt).toUTCString())
    .header('cache-control', `${file.isPrivate ? 'private' : 'public'}, max-age=0, must-revalidate`)
    .header('content-disposition', contentDisposition(inline ? 'inline' : 'attachment', file.name))
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    .header('x-content-type-options', 'nosniff');
}

/** Counts downloads aside and writes the counts a moment later. */
export class DownloadCounter {
  private counts = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;
  private written: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly database: Database,
    private readonly log: Logger,
    private readonly delayMs = 1000,
  ) {}

  add(assetId: number): void {
    this.counts.set(assetId, (this.counts.get(assetId) ?? 0) + 1);
    if (this.closed) return;
    this.timer ??= setTimeout(() => void this.flush(), this.delayMs).unref();
  }

  /** Done when everything is written, also what another call had begun to write. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    return (this.written = this.written.then(() => this.write()));
  }

  private async write(): Promise<void> {
    if (this.counts.size === 0) return;
    const counts = [...this.counts].sort(([one], [other]) => one - other);
    this.counts = new Map();
    try {
      await this.database.write(async () => {
        for (const [id, by] of counts) await this.database.query(AssetRow).findById(id).increment('download_count', by);
      });
    } catch (error) {
      for (const [id, by] of counts) this.counts.set(id, (this.counts.get(id) ?? 0) + by);
      this.log.warn('downloads were not counted yet', { error: (error as Error).message });
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.flush();
  }
}
