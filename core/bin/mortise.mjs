#!/usr/bin/env node
// Compiled once, this only calls the command line of the kernel.
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../dist/cli/index.js', import.meta.url));
if (!existsSync(cli)) {
  console.error('Mortise is not built yet: run `npm run build` (or `npm start`, which does everything).');
  process.exit(1);
}
if (!process.features.require_module) {
  console.error(`Mortise needs Node 20.19 or 22.12, or later ones of either; this is ${process.versions.node}.`);
  process.exit(1);
}
// node 22.1 and later can keep what it compiled for the next start
modules.enableCompileCache?.();
// `require` reads modules at once, one after the other, in two thirds of the time that `import` takes
const { main } = modules.createRequire(import.meta.url)(cli);
await main(process.argv.slice(2));
