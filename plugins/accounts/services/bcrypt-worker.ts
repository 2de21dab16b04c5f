import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

/** What is used of the library. */
interface Bcrypt {
  compareSync(password: string, hash: string): boolean;
}

const { password, hash } = workerData as { readonly password: string; readonly hash: string };
const { compareSync } = createRequire(import.meta.url)('bcryptjs') as Bcrypt;
parentPort?.postMessage(compareSync(password, hash));
