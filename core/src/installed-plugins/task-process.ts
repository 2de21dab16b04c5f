import { fork } from 'node:child_process';
import type { HostOptions } from '../host.js';

/** What of the options of a host can be told to another process. */
export type TaskOptions = Pick<HostOptions, 'workDir' | 'config' | 'settings' | 'environment' | 'root'>;

export const taskOptionsOf = ({ workDir, config, settings, environment, root }: HostOptions): TaskOptions => ({
  workDir,
  config,
  settings,
  environment,
  root,
});

interface TaskEnd<Answer> {
  /** Undefined: the process ended without one. */
  readonly answer: Answer | undefined;
  /** It was killed at its time limit. */
  readonly isLate: boolean;
  readonly code: number | null;
  readonly signal: string | null;
  /** The last of what it wrote. */
  readonly output: string;
}

/** The heap of such a process, in MB. */
export const taskMemoryMb = 768;
const maxOutput = 8000;

/** What such a process asks whoever gave it the task, before it answers. */
interface TaskQuestion {
  readonly question: string;
}

const isQuestion = (message: object): message is TaskQuestion => 'question' in message;

/**
 * Gives a task to a process of its own, whose module answers with one message: whatever plugins do there ends with it.
 * `reply` answers what the process asks meanwhile; it must not reject.
 */
export function runTask<Answer extends object>(
  module: URL,
  task: object,
  limitMs: number,
  reply?: (question: string) => Promise<object>,
): Promise<TaskEnd<Answer>> {
  return new Promise((resolve) => {
    const child = fork(module, {
      execArgv: [`--max-old-space-size=${taskMemoryMb}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let answer: Answer | undefined;
    let isLate = false;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-maxOutput)));
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.on('message', (message: Answer | TaskQuestion) => {
      if (isQuestion(message)) {
        void reply?.(message.question).then((given) => child.send(given, () => undefined));
        return;
      }
      answer = message;
      // what a plugin left running is not waited for
      child.kill('SIGKILL');
    });
    child.on('error', (error) => (output += error.message));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ answer, isLate, code, signal, output });
    });
    child.send(task);
  });
}
