/** Packings that the runtime does not know, for indexes that clients want packed so. */
import { Worker } from 'node:worker_threads';
import { encodeXz } from './lzma.js';
import { beginThread, endThread, threadLimits } from './threads.js';

/** Less is packed at once. */
const worthAThread = 32 * 1024;

/** An .xz of the content; a large one is made in a thread. */
export async function packXz(content: Buffer): Promise<Buffer> {
  if (content.length < worthAThread) return encodeXz(content);
  await beginThread();
  const worker = new Worker(new URL('./pack-worker.js', import.meta.url), {
    workerData: content,
    execArgv: [],
    resourceLimits: threadLimits,
  });
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      worker.once('message', (packed: Uint8Array) => resolve(Buffer.from(packed.buffer)));
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the packing thread ended')));
    });
  } finally {
    await worker.terminate();
    endThread();
  }
}
