// No public type says `any`: who uses the SDK or a contract is checked by the compiler all the way.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import ts from 'typescript';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

/** Tests compare what was sent with literals; a type would have to be written out for each of them. */
const exceptions = ['plugin-sdk/dist/testing/start-host.d.ts: readonly json: any'];

/** Declaration files that the packages of the project export. */
function entries() {
  const folders = [
    'plugin-sdk',
    'core',
    'migrations',
    ...readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}`),
  ];
  return folders.flatMap((folder) => {
    const path = join(root, folder, 'package.json');
    if (!existsSync(path)) return [];
    const { exports = {} } = JSON.parse(readFileSync(path, 'utf8'));
    return Object.values(exports).flatMap(({ types }) => (types ? [join(root, folder, types)] : []));
  });
}

/** Every `any` in a file and in the project's files that it takes types from. */
function findAny(path, seen = new Set(), found = []) {
  if (seen.has(path) || !existsSync(path)) return found;
  seen.add(path);
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
  const visit = (node) => {
    const from = node.moduleSpecifier ?? (ts.isImportTypeNode(node) ? node.argument.literal : undefined);
    if (from?.text?.startsWith('.')) findAny(resolve(dirname(path), from.text.replace(/\.js$/, '.d.ts')), seen, found);
    if (node.kind === ts.SyntaxKind.AnyKeyword) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line;
      const text = file.text.split('\n')[line].trim().replace(/;$/, '');
      found.push(`${relative(root, path)}: ${text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe('public types', () => {
  it('say no `any`', () => {
    const paths = entries();
    expect(paths.length).to.be.above(40);
    const seen = new Set();
    const found = paths.flatMap((path) => findAny(path, seen)).filter((one) => !exceptions.includes(one));
    expect(found, 'unknown, or the type that it is').to.equal([]);
    expect(seen.size).to.be.above(100);
  });
});
