/** Starts git between two streams. */
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Logger } from '@mortise/plugin-sdk';
import type { GitProcesses, GitStartOptions } from '@mortise/git/api';

export interface GitRun {
  readonly child: ChildProcess;
  readonly output: Readable;
  /** Exit code; -1 when it was killed or could not start. */
  readonly done: Promise<number>;
  stderrExcerpt(): string;
}

const maxStderr = 4000;
/** git says something every five seconds while it works, so after so long it or its client hangs. */
const quietMs = 15 * 60_000;

export class GitStarter {
  constructor(
    private readonly git: GitProcesses,
    private readonly log: Logger,
  ) {}

  run(args: readonly string[], input: Readable | Buffer, options: GitStartOptions = {}): GitRun {
    const child = this.git.start(args, { quietMs, ...options });
    const { stdin, stdout: output, stderr } = child;
    let text = '';
    stderr.on('data', (chunk: Buffer) => (text = (text + chunk.toString('utf8')).slice(-maxStderr)));
    if (Buffer.isBuffer(input)) stdin.end(input);
    else feed(input, stdin);
    const done = new Promise<number>((resolve) => {
      child.once('error', (error) => {
        this.log.error('could not start git', { event: 'git.start', error: error.message });
        output.destroy(error);
        resolve(-1);
      });
      child.once('close', (code) => {
        if (text) this.log.debug(args[0] ?? 'git', { code, text });
        resolve(code ?? -1);
      });
    });
    return { child, output, done, stderrExcerpt: () => text };
  }
}

/** A client that is cut off makes git see an early end. */
function feed(input: Readable, stdin: Writable): void {
  input.once('error', () => stdin.destroy());
  input.once('close', () => {
    if (!input.readableEnded) stdin.destroy();
  });
  input.pipe(stdin);
}

/** Ends git when whoever reads its output goes away before the end. */
export function endWithReader({ child, output }: GitRun): void {
  output.once('close', () => {
    if (!output.readableEnded && child.exitCode === null) child.kill('SIGTERM');
  });
}
