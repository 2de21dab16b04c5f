// The linters see what they are for. That the sources keep the rules is found by `npm run lint`, which every run of all
// tests begins with.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { findingsIn, oxlint } from '../support/linted.mjs';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

/** The rules found in each file of a tree like this one. */
const faultsOf = (files) =>
  Object.fromEntries(
    Object.entries(findingsIn(files)).map(([path, findings]) => [path, findings.map(({ rule }) => rule)]),
  );

const imports = (names) => names.map((name) => `import '${name}';`).join('\n');

describe('the rules of oxlint', { timeout: 300_000 }, () => {
  it('find what they need types for', () => {
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
      const { stdout } = oxlint(root, '--type-aware', '-f', 'unix', folder);
      expect(stdout).to.include('no-floating-promises').and.to.include('switch-exhaustiveness-check');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('find what the compiler leaves', () => {
    const found = faultsOf({
      'core/src/a.ts': "import { b } from 'b';\nlet a: any = 1;\nexport const c = { a };\n",
      'test/a.mjs': 'const a = 1;\nundefinedThing();\n',
    });
    expect(found['core/src/a.ts'].sort()).to.equal(['no-explicit-any', 'no-unused-vars', 'prefer-const']);
    expect(found['test/a.mjs'].sort()).to.equal(['no-undef', 'no-unused-vars']);
  });

  it('find imports that cross borders, and no others', () => {
    const libraries = ['joi', 'knex', 'objection', '@hapi/hapi', 'knex/lib/client.js'];
    const types = "import type { Knex } from 'knex';\nexport const a = (b: Knex) => b;\n";
    const plugin = ['@mortise/plugin-sdk', '@mortise/plugin-sdk/client', '@mortise/git/api', '@mortise/git/testing'];
    const kernel = [
      '@mortise/plugin-sdk',
      '@mortise/plugin-sdk/host',
      '@mortise/plugin-sdk/joi',
      '@mortise/core-migrations',
    ];
    const found = faultsOf({
      'plugins/a/good.ts': imports([...plugin, '@mortise/actions/zip', './b.js']) + types,
      'plugins/a/bad.ts': imports(['@mortise/core', '@mortise/git', '@mortise/git/services/a', '../../core/src/a.js']),
      'plugins/a/host.tsx': imports([
        '@mortise/plugin-sdk/host',
        '@mortise/plugin-sdk/joi',
        '@mortise/core-migrations',
      ]),
      'plugins/a/libraries.ts': imports(libraries),
      'core/src/good.ts': imports(kernel) + types,
      'core/src/bad.ts': imports(['@mortise/git', '@mortise/git/api', '@mortise/core', ...libraries]),
      'core/src/database/knex.ts': imports(['knex', '@mortise/git/api']),
      'plugin-sdk/src/bad.ts': imports(['@mortise/core', '@mortise/git/api', ...libraries]),
      'plugin-sdk/src/testing/a.ts': imports(['@mortise/core', 'knex']),
    });
    for (const rules of Object.values(found))
      expect(rules.every((rule) => rule === 'no-restricted-imports')).to.be.true();
    expect(Object.fromEntries(Object.entries(found).map(([path, rules]) => [path, rules.length]))).to.equal({
      'plugins/a/good.ts': 0,
      'plugins/a/bad.ts': 4,
      'plugins/a/host.tsx': 3,
      'plugins/a/libraries.ts': 5,
      'core/src/good.ts': 0,
      'core/src/bad.ts': 7,
      'core/src/database/knex.ts': 1,
      'plugin-sdk/src/bad.ts': 2,
      'plugin-sdk/src/testing/a.ts': 0,
    });
  });

  it('of our own find words outside catalogues and copied contexts', () => {
    const text = 'export const a = (context) => <p>Saved words {{ ...context, page: 2 }}</p>;\n';
    const found = faultsOf({
      'plugins/a/pages/a.tsx': text,
      'core/src/web/a.tsx': text,
      'plugins/a/services/a.tsx': text,
    });
    expect(found['plugins/a/pages/a.tsx'].sort()).to.equal(['literal-text', 'whole-contexts']);
    expect(found['core/src/web/a.tsx']).to.equal(['literal-text']);
    expect(found['plugins/a/services/a.tsx']).to.equal([]);
  });

  it('of our own find words in names that readers could not know, and the files that carry them', () => {
    const declarations = `export interface KeptAnswers {
  readonly atMost: number;
  takeOver(mostBytes: number): void;
}
export class Shelf {
  #vault = 1;
  patiently() {
    return this.#vault;
  }
}
export const { a: joint, occasion } = { a: 1, occasion: 2 };
export const almostPatientDesktopUtmost = 1;
`;
    const found = findingsIn({
      'plugins/a/services/arrivals.ts': 'export const pending = 1;\n',
      'plugins/a/services/shelf.ts': declarations,
      'plugins/a/test/vault.test.ts': 'export const vault = 1;\n',
      'core/src/settings/settings-book.ts': 'export const occasions = 1;\n',
    });
    const names = (path) => found[path].map(({ rule, message }) => `${rule}: ${/^"([^"]*)"/.exec(message)[1]}`).sort();
    expect(names('plugins/a/services/arrivals.ts')).to.equal(['plain-names: arrivals']);
    expect(names('plugins/a/services/shelf.ts')).to.equal(
      ['KeptAnswers', 'atMost', 'joint', 'mostBytes', 'patiently', 'takeOver', 'vault'].map(
        (name) => `plain-names: ${name}`,
      ),
    );
    expect(names('plugins/a/test/vault.test.ts')).to.equal(['plain-names: vault.test']);
    expect(names('core/src/settings/settings-book.ts')).to.equal(['plain-names: settings-book']);
  });
});
