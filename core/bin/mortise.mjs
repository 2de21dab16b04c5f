#!/usr/bin/env node
// Compiled once, this only calls the command line of the kernel.
import { existsSync, statSync } from 'node:fs';
import * as modules from 'node:module';
import { join } from 'node:path';

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
// Compiled code is kept between starts: of modules and libraries by node where it can (22 and later), else of libraries; of
// the scripts of plugins here.
const words = process.argv.slice(2);
if (modules.enableCompileCache) modules.enableCompileCache();
const { keepCompiled, startWithoutOptimizing } = await import('../dist/cli/code-cache.js');
if (!modules.enableCompileCache) {
  // what node keeps by itself it would keep under other flags than it is looked for
  startWithoutOptimizing();
  keepCompiled(join(workFolder(words), 'cache', 'code'));
} else {
  // a server writes, and other commands, which may be gone before they have compiled much, read what it wrote
  const mark = words.includes('web') ? 'plugin.bundle.cjs' : '';
  keepCompiled(join(workFolder(words), 'cache', 'code'), { mark, libraries: false });
}

/** As `core/src/settings/open.ts` finds it, which is not loaded yet. */
function workFolder(words) {
  const at = words.indexOf('--work-path');
  const given =
    at < 0 ? words.find((word) => word.startsWith('--work-path='))?.slice('--work-path='.length) : words[at + 1];
  return given ?? process.env.MORTISE_WORK_DIR ?? 'data';
}

const { main } = await import(cli.href);
await main(words);
