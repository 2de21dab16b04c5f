// Loaded into each process of the server (`NODE_OPTIONS=--import=…`): writes what its heap holds into a file of
// `MORTISE_SOAK_PROBES` that its id names, so that each process speaks for itself. Short processes write nothing.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const everyMs = 2000;
const folder = process.env.MORTISE_SOAK_PROBES;
if (folder && isMainThread) {
  const file = join(folder, `${process.pid}.json`);
  const write = () => {
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    writeFileSync(`${file}.new`, JSON.stringify({ heapUsed, external, arrayBuffers }));
    renameSync(`${file}.new`, file);
  };
  setInterval(write, everyMs).unref();
  process.on('exit', () => rmSync(file, { force: true }));
}
