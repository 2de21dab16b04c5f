#!/usr/bin/env node
// Compiled once, this only calls the command line of the kernel.
import { existsSync } from 'node:fs';
import * as modules from 'node:module';

// A server that is just starting has no handlers yet, and these would end it, or open it to a debugger.
if (process.argv.includes('web')) for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => undefined);

const cli = new URL('../dist/cli/index.js', import.meta.url);
if (!existsSync(cli)) {
  console.error('Mortise is not built yet: run `npm run build` (or `npm start`, which does everything).');
  process.exit(1);
}
// node 22.1 and later can keep what it compiled for the next start
modules.enableCompileCache?.();
const { main } = await import(cli.href);
await main(process.argv.slice(2));
