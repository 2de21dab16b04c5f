// Rules that need types see promises that are left alone, and switches that do not know all of a union. That the sources
// keep them is found by `npm run lint`, which every run of all tests begins with.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const oxlint = join(dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'bin/oxlint');
const lint = (...paths) => {
  const args = [oxlint, '--type-aware', '-c', join(root, '.oxlintrc.json'), '-f', 'unix', ...paths];
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
};

describe('rules that need types', { timeout: 300_000 }, () => {
  it('find what they are for', () => {
    const folder = mkdtempSync(join(root, 'test/lint/typed-'));
    try {
      writeFileSync(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true }, "include": ["*.ts"] }');
      writeFileSync(
        join(folder, 'faults.ts'),
        `const later = async (): Promise<void> => undefined;
export function length(kind: 'a' | 'b'): number {
  later();
  switch (kind) {
    case 'a':
      return 1;
  }
  return 2;
}
`,
      );
      const { stdout } = lint(folder);
      expect(stdout).to.include('no-floating-promises').and.to.include('switch-exhaustiveness-check');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
