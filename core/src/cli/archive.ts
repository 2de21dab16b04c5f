import { spawn } from 'node:child_process';

/** Runs the system's tar; its words are the message when it fails. */
export function tar(args: readonly string[], acceptChanges = false): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('tar', [...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.on('error', (error) => reject(new Error(`tar cannot be run: ${error.message}`)));
    child.on('close', (code) => {
      // 1 means that a file changed while it was read, which a running server does.
      if (code === 0 || (acceptChanges && code === 1)) resolve();
      else reject(new Error(`tar ended with ${code}: ${said.trim().slice(-2000)}`));
    });
  });
}
