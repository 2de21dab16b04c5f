/** Runs in a thread of its own: documents of thousands of versions take a while. */
import { parentPort, workerData } from 'node:worker_threads';
import { rewritePackument } from './rewrite.js';

const { body, name, base } = workerData as { readonly body: Uint8Array; readonly name: string; readonly base: string };
try {
  parentPort!.postMessage(rewritePackument(body, name, base));
} catch (error) {
  parentPort!.postMessage({ wrong: (error as Error).message });
}
