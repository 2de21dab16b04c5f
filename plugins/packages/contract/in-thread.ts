import { Worker } from 'node:worker_threads';

const maxHeapMegabytes = 512;

/**
 * What a script makes of data in a thread of its own, for work that would hold the event loop and is rare. The script
 * posts one message: its result, or `{ wrong: string }`.
 */
export async function runInThread<T>(script: URL, data: unknown): Promise<T> {
  const worker = new Worker(script, {
    execArgv: [],
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
  });
  const result = await new Promise<T | { readonly wrong: string }>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread ended without a result')));
  });
  if (typeof result === 'object' && result !== null && 'wrong' in result) throw new Error(result.wrong);
  return result as T;
}
