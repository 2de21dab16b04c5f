// Code of a page, compiled as it stands: blocks that name their file (```ts file=plugin.ts).
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../support/server.mjs';

/** Writes the code of the pages, and `more` files by name, into a package of its own; gives its folder. */
export function writeCode(pages, more = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mortise-guide-'));
  const write = (file, code) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  };
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, file, code] of text.matchAll(/^```tsx? file=(\S+)\n([\s\S]*?)^```/gm)) write(file, code);
  }
  for (const [file, code] of Object.entries(more)) write(file, code);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  write('package.json', JSON.stringify({ name: 'mortise-plugin-notes', version: '0.1.0', type: 'module' }));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8'));
  write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: { ...compilerOptions, composite: false, rootDir: '.', outDir: 'dist' },
      include: ['**/*.ts', '**/*.tsx'],
      exclude: ['node_modules', 'dist'],
    }),
  );
  return folder;
}

export const compile = (folder) =>
  spawnSync(process.execPath, [join(root, 'node_modules/typescript-native/bin/tsc'), '-p', folder], {
    encoding: 'utf8',
  });

/** Runs `try.ts` of the folder and gives the JSON of its last line. */
export function runTry(folder) {
  const run = spawnSync(process.execPath, [join(folder, 'dist/try.js')], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'test' },
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout.trim().split('\n').at(-1));
}
