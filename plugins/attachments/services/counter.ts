import type { Database, Logger } from '@mortise/plugin-sdk';
import { AttachmentRow } from '../models/attachment.js';

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

  add(id: number): void {
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
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
        for (const [id, by] of counts)
          await this.database.query(AttachmentRow).findById(id).increment('download_count', by);
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
