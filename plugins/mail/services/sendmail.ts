import { spawn } from 'node:child_process';

/** Gives a mail to a program in the manner of sendmail; throws what it complained about. */
export async function runSendmail(
  program: string,
  args: readonly string[],
  content: Buffer,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const limit = AbortSignal.timeout(timeoutMs);
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
      killSignal: 'SIGKILL',
    });
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => {
      stderr = (stderr + data.toString('utf8')).slice(0, 1000);
    });
    child.once('error', (error) =>
      reject(limit.aborted ? new Error(`${program} took longer than ${timeoutMs / 1000} s`) : error),
    );
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${code}: ${stderr.trim()}`));
    });
    // it may end without reading everything; its code says why
    child.stdin.once('error', () => undefined);
    child.stdin.end(content);
  });
}
