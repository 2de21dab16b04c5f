import { Problem, type Actor, type Logger, type MemoryCache } from '@mortise/plugin-sdk';
import { Busy, FairQueue, ThreadFailure, ThreadPool } from '@mortise/plugin-sdk/threads';
import { t } from '../../texts/index.js';
import type { Outline } from './outline.js';
import type { OutlineTask } from './outline-thread.js';
import type { SymbolLanguage } from './symbol-languages.js';

/** Larger texts have no outline. */
const maxOutlined = 512 << 10;

/** Kept in place of an outline: the text could not be read within the limits. */
const failed = 'failed';
const limits = { threads: 2, memory: 256, time: 3_000 };
/** Milliseconds: a machine that was busy may do better later. */
const failureTime = 10 * 60_000;

interface FileOutlinesDeps {
  readonly cache: MemoryCache<Outline | typeof failed>;
  readonly log: Pick<Logger, 'warn'>;
}

interface OutlinedFile extends OutlineTask {
  /** Stands for the text. */
  readonly key: string;
  readonly actor: Actor;
}

/** The outlines of files: read in threads, each text once, and remembered. */
export class FileOutlines {
  readonly #threads = new ThreadPool(new URL('./outline-thread.js', import.meta.url), limits);
  readonly #queue = new FairQueue({
    running: limits.threads,
    runningPerVisitor: 1,
    waiting: 64,
    waitingPerVisitor: 16,
    maxWait: 10_000,
  });

  constructor(private readonly deps: FileOutlinesDeps) {}

  /** Undefined: the text is too large, or takes too long. */
  async of({ key, actor, language, text }: OutlinedFile): Promise<Outline | undefined> {
    if (text.length > maxOutlined) return undefined;
    const task: OutlineTask = { language, text };
    const visitor = actor.kind === 'user' ? `user ${actor.id}` : 'visitors';
    const name = `${language}:${key}`;
    try {
      const outline = await this.deps.cache.load(name, () => this.#read(visitor, task), { size: bytesOf });
      return outline === failed ? undefined : outline;
    } catch (error) {
      if (error instanceof Busy) throw new Problem('unavailable', t.later('symbols.busy'));
      if (!(error instanceof ThreadFailure)) throw error;
      this.deps.log.warn('could not read the symbols of a file within the limits', {
        event: 'files.outline.limit',
        language,
        reason: error.message,
      });
      this.deps.cache.set(name, failed, { size: 100, ttl: failureTime });
      return undefined;
    }
  }

  async close(): Promise<void> {
    this.#queue.close();
    await this.#threads.close();
  }

  #read(visitor: string, task: OutlineTask): Promise<Outline> {
    return this.#queue.add(visitor, () => this.#threads.run<Outline>(task)).result;
  }
}

const bytesOf = (outline: Outline | typeof failed): number =>
  outline === failed ? 100 : outline.symbols.reduce((sum, { name }) => sum + 80 + 2 * name.length, 100);

/** Whether a file has an outline. */
export const hasOutline = (
  language: SymbolLanguage | undefined,
  text: string | undefined,
): language is SymbolLanguage => language !== undefined && text !== undefined && text.length <= maxOutlined;
