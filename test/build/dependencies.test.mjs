// What the workspaces depend on: one major of each library, so that one is loaded once and behaves alike everywhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';

export const lab = Lab.script();
const { describe, it } = lab;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const read = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8'));
const { packages } = read('package-lock.json');
const workspaces = [
  '.',
  ...['plugin-sdk', 'migrations', 'core', 'bench', 'test'],
  ...readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}`),
].filter((folder) => existsSync(join(root, folder, 'package.json')));

/** `1`, and `0.2` before the first major. */
const majorOf = (version) => /^0\.\d+|^\d+/.exec(version)[0];

/** Libraries of other projects that a workspace names itself, with the version that it gets. */
function* libraries() {
  for (const workspace of workspaces) {
    const { dependencies, devDependencies } = read(workspace, 'package.json');
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      if (name.startsWith('@mortise/')) continue;
      const found = packages[`${workspace}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
      expect(found, `${name} of ${workspace} in package-lock.json`).to.exist();
      yield { workspace, name, version: found.version };
    }
  }
}

describe('Dependencies', () => {
  it('have one major each, whichever workspace names them', () => {
    const majors = new Map();
    for (const { workspace, name, version } of libraries()) {
      const known = majors.get(name) ?? new Map();
      known.set(majorOf(version), `${version} in ${workspace}`);
      majors.set(name, known);
    }
    expect(majors.size).to.be.above(50);
    const several = [...majors].filter(([, known]) => known.size > 1).map(([name, known]) => [name, ...known.values()]);
    expect(several, 'libraries of which two majors are installed').to.equal([]);
  });

  it('name no part of another library that is internal to it', () => {
    // the clients of the SDK of AWS are its interface; what they are made of changes without a major
    const internal = /^@smithy\/|^@aws-sdk\/(?!client-|lib-|s3-request-presigner$)/;
    const named = [...libraries()]
      .filter(({ name }) => internal.test(name))
      .map(({ workspace, name }) => `${workspace}: ${name}`);
    expect(named).to.equal([]);
  });
});
