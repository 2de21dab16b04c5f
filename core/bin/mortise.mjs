#!/usr/bin/env node
// Compiled once, this only calls the command line of the kernel.
import { existsSync, statSync } from 'node:fs';
import * as modules from 'node:module';

const at = (path) => new URL(path, import.meta.url);
const timeOf = (url) => statSync(url, { throwIfNoEntry: false })?.mtimeMs ?? 0;
// All of the kernel in one file, while it is that of what was compiled last (docs/decisions/0007); packed, it always is.
const bundle = at('../dist/mortise.bundle.js');
const compiled = timeOf(at('../tsconfig.tsbuildinfo'));
const cli = timeOf(bundle) > 0 && timeOf(bundle) >= compiled ? bundle : at('../dist/cli/index.js');
if (!existsSync(cli)) {
  console.error('Mortise is not built yet: run `npm run build` (or `npm start`, which does everything).');
  process.exit(1);
}
// Where node can (22 and later), compiled code is kept between starts.
modules.enableCompileCache?.();
const { main } = await import(cli.href);
await main(process.argv.slice(2));
