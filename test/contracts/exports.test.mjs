// Contracts are narrow: what a plugin exports for others, others use, or a guide for authors of plugins names it.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { trackedFiles } from '../support/tracked-files.mjs';
import { ExportIndex, exportsIn, importsIn } from '../support/unused-exports.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

/** Names in code of the guides, also in the middle of a sentence. */
const namesInCode = (text) =>
  [...text.matchAll(/```[^]*?```|`[^`\n]+`/g)].flatMap(([code]) => code.match(/[A-Za-z_]\w*/g) ?? []);

/** Guides for authors of plugins. */
const isGuide = (path) => /^docs\/(?:plugin|translating)/.test(path);

/** Imported by nobody and needed all the same. */
const needed = {
  // imported by the address that it has once it is compiled
  'core/src/cli/index.ts': ['main'],
  // the compiler writes these names where it infers the type of what somebody else exports
  'core/src/locks/index.ts': ['ManagedLocks'],
  'core/src/settings/workers.ts': ['WorkerSettings'],
  'core/src/telemetry/settings.ts': ['LogSettings'],
  'plugin-sdk/src/actor.ts': ['GrantKind'],
  'plugin-sdk/src/http.ts': ['ResourceRef'],
  'plugin-sdk/src/picture.ts': ['Picture'],
  'plugin-sdk/src/texts.ts': ['Texts'],
  'plugins/issues/contract/timeline.ts': ['WrittenElsewhere'],
  'plugins/organizations/settings.ts': ['CreationSettings', 'ServiceSettings'],
  'plugins/sessions/settings.ts': ['SessionSettings'],
  // imported whole, or as the default
  'plugins/files/services/notebook.ts': ['renderNotebook'],
  'plugins/repositories/services/service-refs.ts': ['ownServices'],
  // imported by the name `type`
  'plugins/package-rpm/services/metadata.ts': ['type'],
  'plugins/package-terraform/services/states.ts': ['type'],
  // taken apart from one object with others
  'plugins/projects/services/fields.ts': ['maxFields'],
  'plugins/projects/services/views.ts': ['maxViews'],
};

/** Sources of plugins whose exports nobody imports by name: entries, migrations, scripts of pages and threads. */
const isEntry = (path) =>
  /\/(?:test|texts|islands|generated)\/|\/migrations\/\d|\/(?:plugin|api)\.ts$|\/worker\/main\.ts$|-thread\.ts$/.test(
    path,
  );

describe('exports', () => {
  const files = trackedFiles('*.ts', '*.tsx', '*.mjs', 'docs/*.md', '*README.md');
  const index = files && new ExportIndex(files);
  const guides = files?.filter(isGuide).map((path) => index.textOf(path));
  const named = new Set(guides?.flatMap(namesInCode));

  it('of a contract are used by another plugin or named in the guides', () => {
    if (!index) return;
    const contracts = index.sources.filter((path) => /^plugins\/[^/]+\/api\.ts$/.test(path));
    expect(contracts.length).to.be.above(30);
    const unused = contracts.flatMap((path) => {
      const folder = path.replace('api.ts', '');
      const isUsed = (name) => named.has(name) || index.usersOf(path, name).some((user) => !user.startsWith(folder));
      const names = [...index.namesOf(path)];
      if (names.length === 0) return [`${path}: exports nothing; remove it, and "./api" in package.json`];
      return names.filter((name) => !isUsed(name)).map((name) => `${path}: ${name}`);
    });
    expect(unused, 'export it from where it is declared, not from api.ts').to.equal([]);
  });

  const isNamed = (path, name) => path.startsWith('plugin-sdk/') && named.has(name);
  const unusedIn = (path) => {
    const givenOn = index.givenIn(path).flatMap(({ list = [] }) => list.map(({ name }) => name));
    return [...index.declaredIn(path), ...givenOn]
      .filter((name) => index.usersOf(path, name).length === 0 && !isNamed(path, name))
      .filter((name) => !needed[path]?.includes(name))
      .map((name) => `${path}: ${name}`);
  };

  it('of the kernel and of the SDK are imported by another file', () => {
    if (!index) return;
    const sources = index.sources.filter((path) => /^(?:core|plugin-sdk)\/src\/(?!test\/|texts\/)/.test(path));
    expect(sources.length).to.be.above(200);
    expect(sources.flatMap(unusedIn), 'remove it, or its `export`').to.equal([]);
  });

  it('of a module of a plugin are imported by another file', () => {
    if (!index) return;
    const sources = index.sources.filter((path) => path.startsWith('plugins/') && !isEntry(path));
    expect(sources.length).to.be.above(1_000);
    expect(sources.flatMap(unusedIn), 'remove it, or its `export`').to.equal([]);
  });

  it('are found however they are written', () => {
    const { declared, given } = exportsIn(
      'a.ts',
      `export const a = 1, { b, c: [d] } = x; export interface E {} export type F = 1; class G {} export { G as H };
       export * from './i.js'; export { j as k, type L } from './l.js'; const hidden = 1; export default hidden;`,
    );
    expect([...declared]).to.equal(['a', 'b', 'd', 'E', 'F', 'H']);
    expect(given).to.equal([
      { from: './i.js', list: undefined },
      {
        from: './l.js',
        list: [
          { name: 'k', original: 'j' },
          { name: 'L', original: 'L' },
        ],
      },
    ]);
  });

  it('are used however they are imported', () => {
    const used = (text) =>
      importsIn(text).flatMap(({ from, names }) => (names ?? ['all']).map((name) => `${from} ${name}`));
    expect(used("import { a, type B as C } from './x.js'; export { d } from './y.js';")).to.equal([
      './x.js a',
      './x.js B',
    ]);
    expect(used("import * as x from './x.js'; x.one(); other.x.two();")).to.equal(['./x.js one']);
    expect(used("const { a, b: c } = await import('./x.js');")).to.equal(['./x.js a', './x.js b']);
    expect(used("(await import('./x.js')).a(); type T = import('./y.js').B; void import('./z.js');")).to.equal([
      './x.js a',
      './y.js B',
      './z.js all',
    ]);
  });
});
