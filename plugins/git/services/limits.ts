/** Bounds on work that visitors can make as hard as they like: memory, time of the processor, and number at once. */
import { Problem } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

export interface Bounds {
  /** Address space in bytes. */
  readonly memory: number;
  /** Seconds of the processor. */
  readonly seconds: number;
}

/** git maps packs into its address space: in small pieces, so that the size of a repository is no matter. */
const smallWindows = ['-c', 'core.packedGitWindowSize=16m', '-c', 'core.packedGitLimit=64m', '-c', 'grep.threads=1'];
/** Where the system knows no such limit the work goes on without it. Others are served first. */
const script = 'ulimit -v "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 3; exec nice -n 10 "$@"';

export function limited(
  executable: string,
  args: readonly string[],
  { memory, seconds }: Bounds,
): { program: string; args: readonly string[] } {
  const limits = [String(Math.ceil(memory / 1024)), String(Math.ceil(seconds))];
  return { program: '/bin/sh', args: ['-c', script, 'sh', ...limits, '--git', executable, ...smallWindows, ...args] };
}

const maxWaiting = 32;
const maxWaitMs = 10_000;

/** So many at once; some wait for their turn, and the rest is told to come back. */
export class Limiter {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  get counts(): { running: number; waiting: number } {
    return { running: this.running, waiting: this.waiting.length };
  }

  /** Gives what makes room for the next; calling it twice does nothing. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    if (this.running < this.max) this.running++;
    else await this.wait(signal);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    };
  }

  private wait(signal?: AbortSignal): Promise<void> {
    if (this.waiting.length >= maxWaiting) throw busy();
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', give);
      };
      const start = () => {
        done();
        resolve();
      };
      const give = () => {
        done();
        const at = this.waiting.indexOf(start);
        if (at >= 0) this.waiting.splice(at, 1);
        reject(busy());
      };
      const timer = setTimeout(give, maxWaitMs);
      signal?.addEventListener('abort', give, { once: true });
      this.waiting.push(start);
    });
  }
}

const busy = () =>
  new Problem('unavailable', t.later('error.searchBusy'), {
    headers: { 'retry-after': '5' },
  });
