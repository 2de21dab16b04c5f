import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@mortise/plugin-sdk';
import { runnerHost, systemUser } from '../commands/registration-file.js';
import { removeAbandoned } from '../engine/job-folders.js';
import type { ChildOptions } from './child-process.js';

/** Milliseconds: how long an order to end is waited for, and how long between starts. */
const stopTimeoutMs = 8000;
const [shortest, longest] = [1000, 60_000];

/** Runs the runner as a child process and restarts it when it ends. */
export class Supervisor {
  readonly #order: () => Promise<ChildOptions>;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #child: ChildProcess | undefined;
  #isStopping = false;
  #wake: () => void = () => undefined;

  /** `order` is asked before each start. */
  constructor(order: () => Promise<ChildOptions>, log: Pick<Logger, 'info' | 'warn'>) {
    this.#order = order;
    this.#log = log;
  }

  /** Resolves when `stop` was called and the process has ended. */
  async run(): Promise<void> {
    let wait = shortest;
    while (!this.#isStopping) {
      const started = Date.now();
      try {
        const order = await this.#order();
        if (!this.#isStopping) await this.#once(order);
      } catch (error) {
        this.#log.warn(
          `could not start the embedded runner: ${error instanceof Error ? error.message : String(error)}`,
          {
            event: 'actions.runner.start',
          },
        );
      }
      if (this.#isStopping) return;
      wait = Date.now() - started > longest ? shortest : Math.min(wait * 2, longest);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  stop(): void {
    this.#isStopping = true;
    this.#wake();
    const child = this.#child;
    if (!child) return;
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs).unref();
  }

  /** Of the process that runs now. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  #once(order: ChildOptions): Promise<void> {
    const program = fileURLToPath(new URL('./child-process.js', import.meta.url));
    const user = systemUser(order.user);
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    child.stdin.on('error', () => undefined);
    child.stdin.write(`${JSON.stringify(order)}\n`);
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) =>
        this.#log.info(`Runner: ${line.slice(0, 1000)}`, { event: 'actions.runner.output' }),
      );
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => {
        this.#child = undefined;
        if (!this.#isStopping)
          this.#log.warn(`embedded runner exited with ${code ?? 'a signal'}; restarting it`, {
            event: 'actions.runner.exit',
          });
        // One that was killed has left its jobs to themselves.
        const { folder, address, name } = order;
        removeAbandoned(runnerHost({ folder, address, name, ...(user ? { user } : {}) })).then(resolve, reject);
      });
    });
  }
}
