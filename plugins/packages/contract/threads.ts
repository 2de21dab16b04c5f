/**
 * Threads for what would hold the event loop: a few, for which visitors take turns. They stay, since to end one while it works
 * can end the process with it (Node 20).
 */
import { Worker } from 'node:worker_threads';
import { Problem } from '@mortise/plugin-sdk';
import { Busy, FairQueue } from '@mortise/plugin-sdk/threads';

export interface UnpackWork {
  readonly packing: 'xz' | 'zstd' | 'bzip2';
  readonly maxBytes: number;
}

/** Work (what is packed, is packed by bzip2), more of its bytes (none: they are at the end), that a piece was taken, or that no more are wanted. */
export type ToThread =
  | ({ readonly kind: 'unpack' } & UnpackWork)
  | { readonly kind: 'pack'; readonly content: Uint8Array }
  | { readonly kind: 'bytes'; readonly bytes?: Uint8Array }
  | { readonly kind: 'taken' }
  | { readonly kind: 'stop' };

/** It wants more, here is a piece, it is at the end, or what is wrong. */
export type FromThread =
  | { readonly kind: 'more' }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'wrong'; readonly what: string };

const maxHeapMegabytes = 256;
const maxWaitMs = 60_000;
const queue = new FairQueue({
  running: 2,
  runningPerVisitor: 1,
  waiting: 200,
  waitingPerVisitor: 20,
  maxWait: maxWaitMs,
});
const idle: ArchiveThread[] = [];
/** Of threads at work: what ends their turn. */
const turns = new Map<ArchiveThread, () => void>();

/** One work at a time; keeps the process alive only while it works. */
class ArchiveThread {
  readonly #worker = new Worker(new URL('./archive-thread.js', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
  });
  readonly #said: FromThread[] = [];
  #listener: ((message: FromThread) => void) | undefined;
  #isGone = false;
  #isDone = true;

  constructor() {
    this.#worker.on('message', (message: FromThread) => this.#tell(message));
    this.#worker.once('error', () => this.#end());
    this.#worker.once('exit', () => this.#end());
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  #tell(message: FromThread): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener) listener(message);
    else this.#said.push(message);
  }

  #end(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#tell({ kind: 'wrong', what: 'it needs too much memory' });
  }

  begin(work: ToThread): void {
    this.#isDone = false;
    this.#worker.ref();
    this.say(work);
  }

  say(message: ToThread): void {
    if (!this.#isGone) this.#worker.postMessage(message);
  }

  async hear(): Promise<FromThread> {
    const message = this.#said.shift() ?? (await new Promise<FromThread>((resolve) => (this.#listener = resolve)));
    if (message.kind === 'end' || message.kind === 'wrong') this.#isDone = true;
    return message;
  }

  /** Until it does nothing any more. */
  async rest(): Promise<void> {
    if (!this.#isDone) this.say({ kind: 'stop' });
    while (!this.#isDone) await this.hear();
    this.#worker.unref();
  }
}

/** In turn with other visitors, each of whom has one thread at a time; beyond the bounds of the queue it is 503. */
export function takeThread(visitor: string): Promise<ArchiveThread> {
  return new Promise((resolve, reject) => {
    const turn = () =>
      new Promise<void>((end) => {
        const thread = idle.pop() ?? new ArchiveThread();
        turns.set(thread, end);
        resolve(thread);
      });
    queue.add(visitor, turn).result.catch((error: unknown) => reject(error instanceof Busy ? busy() : error));
  });
}

const busy = () =>
  new Problem('unavailable', 'Too many archives are being read. Try again in a moment.', {
    headers: { 'retry-after': '10' },
  });

export async function giveBack(thread: ArchiveThread): Promise<void> {
  await thread.rest();
  if (!thread.isGone) idle.push(thread);
  turns.get(thread)?.();
  turns.delete(thread);
}
