#!/usr/bin/env node
// Compiled once, this only calls the command line of the kernel.
import { existsSync } from 'node:fs';
import * as modules from 'node:module';

const cli = new URL('../dist/cli/index.js', import.meta.url);
if (!existsSync(cli)) {
  console.error('Mortise is not built yet: run `npm run build` (or `npm start`, which does everything).');
  process.exit(1);
}
// Where node can (22 and later), compiled code is kept between starts.
modules.enableCompileCache?.();
const { main } = await import(cli.href);
await main(process.argv.slice(2));
