// Runs oxlint over files that a test plants; its own tester of rules needs Node 22.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './server.mjs';

const program = join(dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'bin/oxlint');

export const oxlint = (cwd, ...args) => spawnSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8' });

/** What oxlint finds in each file, by its path in a tree with the rules of this one: `{ rule, message }`. */
export function findingsIn(files) {
  const folder = mkdtempSync(join(tmpdir(), 'lint-rules-'));
  try {
    for (const name of ['.oxlintrc.json', 'test/lint'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { diagnostics } = JSON.parse(oxlint(folder, '-f', 'json', ...Object.keys(files)).stdout);
    const found = Object.fromEntries(Object.keys(files).map((path) => [path, []]));
    // what cannot be parsed has no rule
    for (const { filename, code, message } of diagnostics)
      found[filename].push({ rule: /\((.*)\)/.exec(code ?? '')?.[1], message });
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
