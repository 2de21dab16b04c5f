/**
 * One answer of git that is being written to a file while any number of clients read it already. Who keeps up gets the
 * chunks from memory; who is slow reads the file, and neither holds up git nor the others.
 */
import { read, writev } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** Bytes that may wait for the disk before git has to. */
const maxWaiting = 4 * 1024 * 1024;
const readAtOnce = 256 * 1024;

export class PackTee {
  /** Bytes that came, and bytes that are in the file. */
  private came = 0;
  private stored = 0;
  private ended = false;
  private failure: Error | undefined;
  private readonly pending: Buffer[] = [];
  private writing = false;
  private readers = 0;
  private closed = false;
  private leaving = false;
  private givenUp = false;
  private readonly waiting = new Set<Follower>();
  private finish!: (complete: boolean) => void;
  /** True when everything that git said is in the file. */
  readonly complete = new Promise<boolean>((resolve) => (this.finish = resolve));

  constructor(
    private readonly file: FileHandle,
    private readonly source: Readable,
    /** Nobody reads any more. */
    private readonly abandoned: () => void,
  ) {
    source.on('data', (chunk: Buffer) => this.take(chunk));
    source.once('end', () => this.end());
    source.once('close', () => this.end());
    source.once('error', (error) => this.fail(error));
  }

  get size(): number {
    return this.came;
  }

  /** git works, and nobody here reads. */
  get isAlone(): boolean {
    return this.readers === 0 && !this.ended;
  }

  get isGivenUp(): boolean {
    return this.givenUp;
  }

  /** Somebody looks whether it is needed elsewhere; false: somebody does already. */
  leave(): boolean {
    if (this.leaving) return false;
    return (this.leaving = true);
  }

  stay(): void {
    this.leaving = false;
  }

  /** From here on it takes no more clients; false when one has come meanwhile, or it is over. */
  giveUp(): boolean {
    return (this.givenUp = this.isAlone);
  }

  /** A client from the beginning; undefined when the file is closed already, or will never be whole. */
  follow(): Readable | undefined {
    if (this.closed || this.failure || this.givenUp) return undefined;
    this.readers++;
    return new Follower(this);
  }

  /** Gives what is there at that place, or calls again later; only a {@link Follower} asks. */
  feed(follower: Follower): void {
    if (this.failure) follower.destroy(this.failure);
    else if (follower.at < this.stored) this.readFor(follower);
    else if (this.ended && follower.at === this.came) follower.push(null);
    else this.waiting.add(follower);
  }

  left(follower: Follower): void {
    this.waiting.delete(follower);
    if (--this.readers > 0) return;
    if (!this.ended) this.abandoned();
    this.closeWhenUnused();
  }

  private take(chunk: Buffer): void {
    const at = this.came;
    this.came += chunk.length;
    for (const follower of [...this.waiting]) {
      if (follower.at !== at) continue;
      this.waiting.delete(follower);
      follower.give(chunk);
    }
    if (this.came - this.stored > maxWaiting) this.source.pause();
    this.pending.push(chunk);
    this.store();
  }

  private store(): void {
    if (this.writing || !this.pending.length || this.failure) return;
    this.writing = true;
    const chunks = this.pending.splice(0);
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    writev(this.file.fd, chunks, this.stored, (error, written) => {
      this.writing = false;
      if (error || written !== size) return this.fail(error ?? new Error('the pack cache is full'));
      this.stored += written;
      if (this.source.isPaused() && this.came - this.stored <= maxWaiting / 2) this.source.resume();
      this.wake();
      this.store();
      this.endWhenStored();
    });
  }

  private end(): void {
    this.ended = true;
    this.wake();
    this.endWhenStored();
  }

  private endWhenStored(): void {
    if (!this.ended || this.stored !== this.came || this.failure) return;
    this.finish(true);
    this.closeWhenUnused();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.ended = true;
    this.finish(false);
    this.source.destroy();
    this.wake();
    this.closeWhenUnused();
  }

  private wake(): void {
    for (const follower of [...this.waiting]) {
      this.waiting.delete(follower);
      this.feed(follower);
    }
  }

  private readFor(follower: Follower): void {
    const length = Math.min(readAtOnce, this.stored - follower.at);
    read(this.file.fd, Buffer.allocUnsafe(length), 0, length, follower.at, (error, count, buffer) => {
      if (error) follower.destroy(error);
      else if (!follower.destroyed) follower.give(buffer.subarray(0, count));
      follower.reading(false);
    });
    follower.reading(true);
  }

  private closeWhenUnused(): void {
    const unfinished = !this.failure && (!this.ended || this.stored !== this.came);
    if (this.closed || this.readers > 0 || this.writing || unfinished) return;
    this.closed = true;
    void this.file.close().catch(() => undefined);
  }
}

class Follower extends Readable {
  at = 0;
  private busy = false;
  private leave: (() => void) | undefined;

  constructor(private readonly tee: PackTee) {
    super({ highWaterMark: readAtOnce });
  }

  give(chunk: Buffer): void {
    this.at += chunk.length;
    this.push(chunk);
  }

  /** The file must stay open while it is read for this one. */
  reading(busy: boolean): void {
    this.busy = busy;
    if (!busy) this.leave?.();
  }

  override _read(): void {
    this.tee.feed(this);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const leave = () => {
      this.leave = undefined;
      this.tee.left(this);
      callback(error);
    };
    if (this.busy) this.leave = leave;
    else leave();
  }
}
