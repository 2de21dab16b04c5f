// The code of the plugin author's guide is compiled as it stands and run against a host.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe("the plugin author's guide", { timeout: 600_000 }, () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-guide-'));
    const guide = readFileSync(join(root, 'docs/plugin-authors.md'), 'utf8');
    for (const [, file, code] of guide.matchAll(/^```tsx? file=(\S+)\n([\s\S]*?)^```/gm)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), code);
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'mortise-plugin-notes', version: '0.1.0', type: 'module' }),
    );
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8'));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { ...compilerOptions, composite: false, rootDir: '.', outDir: 'dist' },
        include: ['**/*.ts', '**/*.tsx'],
        exclude: ['node_modules', 'dist'],
      }),
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles under strict', () => {
    const compiled = spawnSync(process.execPath, [join(root, 'node_modules/typescript-native/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
    });
    expect(compiled.status, compiled.stdout).to.equal(0);
  });

  it('does what it says', () => {
    const run = spawnSync(process.execPath, [join(folder, 'dist/try.js')], {
      encoding: 'utf8',
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'test' },
    });
    expect(run.status, run.stderr).to.equal(0);
    expect(JSON.parse(run.stdout.trim().split('\n').at(-1))).to.equal([201, 422, ['buy glue']]);
  });
});
