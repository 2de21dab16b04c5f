import { spawn } from 'node:child_process';

/** Runs the system's tar; its words are the message when it fails. */
export function tar(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('tar', [...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.on('error', (error) => reject(new Error(`tar cannot be run: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`tar ended with ${code}: ${said.trim().slice(-2000)}`));
    });
  });
}
