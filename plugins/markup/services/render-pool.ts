import { Problem, type Logger, type MemoryCache } from '@mortise/plugin-sdk';
import { Busy, ThreadFailure, type FairQueue, type QueuedTask } from '@mortise/plugin-sdk/threads';
import type { HighlightedText, RenderTask, RenderedText, Task, Answer } from '../worker/tasks.js';
import type { CodePiece } from '../contract/markup.js';

/** Kept in place of a result: shown as plain text, not tried again for a while. */
export const failed = Symbol('failed');

/** Milliseconds: a machine that was busy may do better later. */
const failureTime = 10 * 60_000;

export interface RenderPoolDeps {
  /** Rejects with {@link ThreadFailure}. */
  readonly threads: { run<T extends Task>(task: T): Promise<Answer<T>> };
  readonly queue: Pick<FairQueue, 'add'>;
  readonly rendered: MemoryCache<RenderedText | typeof failed>;
  readonly highlighted: MemoryCache<HighlightedText | typeof failed>;
  readonly log: Pick<Logger, 'warn'>;
  /** Counts results: `done`, `cached`, `failed`, `busy`. */
  readonly count?: (result: 'done' | 'cached' | 'failed' | 'busy') => void;
}

/** Bytes that a text takes: one a character, or two. */
const estimatedBytes = (text: string) => 150 + text.length * (/[^\0-\xff]/.test(text) ? 2 : 1);

/**
 * Has texts rendered by the threads: each content once however many ask for it, in fair turns, and remembers results as
 * well as failures. Rejects with {@link Busy} when too much waits.
 */
export class RenderPool {
  readonly #running = new Map<string, QueuedTask<unknown>>();

  constructor(private readonly deps: RenderPoolDeps) {}

  /**
   * Undefined: it cannot be rendered within the limits.
   *
   * @param textOf gives the text in the place of that of the task, when it is its turn
   */
  async render(
    key: string,
    task: RenderTask,
    visitor: string,
    textOf?: () => Promise<string>,
  ): Promise<RenderedText | undefined> {
    const known = this.deps.rendered.get(key);
    if (known !== undefined) return this.#known(known);
    return this.#share(`render ${key}`, visitor, async () => {
      const text = textOf ? await this.#textOf(task, textOf) : task.text;
      const result = text === undefined ? undefined : await this.#renderInStages({ ...task, text });
      if (result === undefined) this.deps.rendered.set(key, failed, { size: 200, ttl: failureTime });
      else this.deps.rendered.set(key, result, { size: estimatedBytes(result.html) + 200 * result.references.length });
      return result;
    });
  }

  /** For each piece its result, or undefined where it stays plain. */
  async highlight(
    pieces: readonly (CodePiece & { readonly key: string })[],
    visitor: string,
  ): Promise<(HighlightedText | undefined)[]> {
    const known = pieces.map(({ key }) => this.deps.highlighted.get(key));
    const missing = new Map<string, CodePiece>();
    pieces.forEach((piece, index) => {
      if (known[index] === undefined) missing.set(piece.key, piece);
    });
    if (missing.size === 0) return known.map((one) => this.#known(one!));
    const keys = [...missing.keys()];
    const made = await this.#share(`highlight ${keys.join(' ')}`, visitor, async () => {
      const results = await this.#highlightAll([...missing.values()]);
      results.forEach((result, index) => this.#keepHighlighted(keys[index]!, result));
      return new Map(keys.map((key, index) => [key, results[index]]));
    });
    return pieces.map(({ key }, index) => {
      const before = known[index];
      return before === undefined ? made.get(key) : this.#known(before);
    });
  }

  /** Not kept. */
  async run<T extends Task>(task: T, visitor: string): Promise<Answer<T>> {
    return this.deps.queue.add(visitor, () => this.deps.threads.run(task)).result;
  }

  #known<T>(known: T | typeof failed): T | undefined {
    this.deps.count?.('cached');
    return known === failed ? undefined : (known as T);
  }

  async #share<T>(key: string, visitor: string, work: () => Promise<T>): Promise<T> {
    const { count } = this.deps;
    const running = this.#running.get(key) as QueuedTask<T> | undefined;
    if (running) {
      running.join(visitor);
      return running.result;
    }
    const queued = this.deps.queue.add(visitor, work);
    this.#running.set(key, queued);
    try {
      const result = await queued.result;
      count?.(result === undefined ? 'failed' : 'done');
      return result;
    } catch (error) {
      count?.(error instanceof Busy ? 'busy' : 'failed');
      throw error;
    } finally {
      this.#running.delete(key);
    }
  }

  async #textOf({ fileName, text }: RenderTask, textOf: () => Promise<string>): Promise<string | undefined> {
    try {
      return await textOf();
    } catch (error) {
      this.deps.log.warn('could not render a file by a command', {
        event: 'markup.command',
        file: fileName,
        length: text.length,
        why: (error as Error).message,
      });
      return undefined;
    }
  }

  /** Once as it should be; where that is too much, once more without what can be left out. */
  async #renderInStages(task: RenderTask): Promise<RenderedText | undefined> {
    const { threads, log } = this.deps;
    for (const lean of [false, true]) {
      try {
        return await threads.run({ ...task, options: { ...task.options, lean } });
      } catch (error) {
        if (!(error instanceof ThreadFailure)) throw error;
        log.warn('could not render a text', {
          event: 'markup.render',
          file: task.fileName,
          length: task.text.length,
          why: error.message,
        });
        if (error.reason === 'error') return undefined;
      }
    }
    return undefined;
  }

  /** A piece that a thread got stuck with is left out, and the others are tried again; not for ever. */
  async #highlightAll(pieces: readonly CodePiece[]): Promise<(HighlightedText | undefined)[]> {
    const { threads, log } = this.deps;
    const results: (HighlightedText | undefined)[] = pieces.map(() => undefined);
    let left = pieces.map((piece, index) => ({ piece, index }));
    for (let attempt = 0; attempt < 3 && left.length > 0; attempt++) {
      try {
        const made = await threads.run({ kind: 'highlight', pieces: left.map(({ piece }) => piece) });
        left.forEach(({ index }, at) => (results[index] = made[at]));
        return results;
      } catch (error) {
        if (!(error instanceof ThreadFailure)) throw error;
        const stuck = left[error.piece]?.piece;
        log.warn('could not highlight code', {
          event: 'markup.highlight',
          file: stuck?.fileName,
          length: stuck?.text.length,
          why: error.message,
        });
        left = left.filter((_, at) => at !== error.piece);
      }
    }
    return results;
  }

  #keepHighlighted(key: string, result: HighlightedText | undefined): void {
    if (result) this.deps.highlighted.set(key, result, { size: estimatedBytes(result.html) });
    else this.deps.highlighted.set(key, failed, { size: 200, ttl: failureTime });
  }
}

/** For clients that asked for a rendering and nothing else. */
export const unavailable = () =>
  new Problem('unavailable', 'Too many texts are waiting to be rendered. Try again in a moment.', {
    headers: { 'retry-after': '2' },
  });
