import { parentPort, workerData } from 'node:worker_threads';
import { encodeXz } from './lzma.js';

const packed = new Uint8Array(encodeXz(Buffer.from(workerData as Uint8Array)));
parentPort!.postMessage(packed, [packed.buffer]);
