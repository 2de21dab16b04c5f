import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { fromPackage } from '@mortise/plugin-sdk';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('what a definition takes from package.json', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-package-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const from = (about: object) => {
    const file = join(folder, 'package.json');
    writeFileSync(file, JSON.stringify(about));
    return fromPackage(pathToFileURL(file));
  };

  it('P7: peers that are plugins are required, or optional where npm may leave them out', () => {
    const peerDependencies = {
      '@mortise/plugin-sdk': '^1.2.0',
      '@mortise/accounts': '^1.0.0',
      '@acme/mortise-plugin-shelf': '^2.0.0',
      'mortise-plugin-labels': '>=1',
      preact: '^10.0.0',
    };
    expect(
      from({
        name: '@acme/mortise-plugin-books',
        version: '0.3.0',
        description: 'Books',
        peerDependencies,
        peerDependenciesMeta: { 'mortise-plugin-labels': { optional: true } },
      }),
    ).to.equal({
      name: 'books',
      version: '0.3.0',
      description: 'Books',
      sdk: '^1.2.0',
      requires: { accounts: '^1.0.0', shelf: '^2.0.0' },
      optional: { labels: '>=1' },
    });
  });

  it('P7: the name that the manifest gives counts, and a missing SDK is told', () => {
    const peerDependencies = { '@mortise/plugin-sdk': '^1.0.0' };
    const named = { name: 'x', version: '1.0.0', mortise: { name: 'y' }, peerDependencies };
    expect(from(named).name).to.equal('y');
    expect(() => from({ name: 'x', version: '1.0.0' })).to.throw(/@mortise\/plugin-sdk among its peerDependencies/);
  });
});
