import { Buffer } from 'node:buffer';
import { Problem, reply, type Database, type Logger, type Reply } from '@mortise/plugin-sdk';
import { lookup } from 'mime-types';
import type { ServedFile } from '../api.js';
import { AssetRow } from '../models/rows.js';

/** What browsers may show in a page; all else is saved. */
const shown = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|video\/(?:mp4|webm)|audio\/(?:mpeg|ogg|wav))$/;

const plain = (name: string) => name.replace(/[^\x20-\x7e]|["\\]/g, '_');
const disposition = (kind: 'inline' | 'attachment', name: string) =>
  `${kind}; filename="${plain(name)}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}`;

interface Asked {
  readonly method: string;
  readonly headers: Record<string, unknown>;
}

/** The one wanted part (RFC 9110, 14); several, or another unit: all of it. */
function partOf(file: ServedFile, headers: Record<string, unknown>): { start: number; end: number } | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(String(headers.range ?? '')) ?? [];
  if ((!from && !to) || file.size === 0) return undefined;
  const condition = headers['if-range'];
  if (condition && condition !== `"${file.sha256}"` && condition !== new Date(file.createdAt).toUTCString())
    return undefined;
  if (from && to && Number(to) < Number(from)) return undefined;
  const start = from ? Number(from) : Math.max(0, file.size - Number(to));
  const end = from && to ? Math.min(Number(to), file.size - 1) : file.size - 1;
  if (start >= file.size || (!from && Number(to) === 0))
    throw new Problem('range_not_satisfiable', `there are only ${file.size} bytes`, {
      headers: { 'Content-Range': `bytes */${file.size}` },
    });
  return { start, end };
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
    .header('content-disposition', disposition(inline ? 'inline' : 'attachment', file.name))
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    .header('x-content-type-options', 'nosniff');
}

/** Counts downloads aside and writes the counts a moment later. */
export class DownloadCounter {
  private counts = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;
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

  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
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
