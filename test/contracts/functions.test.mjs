// A function can be seen at once: none has over a hundred lines, and `register` of a plugin is a table of contents.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import ts from 'typescript';
import { lengthFaults } from '../support/length-faults.mjs';
import { root } from '../support/server.mjs';
import { trackedFiles } from '../support/tracked-files.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const max = 100;

/** Those that are longer, with their lines: they may shrink, not grow, and leave the list when they are short enough. */
const longer = {};

/** Descriptions of data: tables of a database, and texts. */
const isData = (file) => /\/migrations\/\d{4}_|\/texts\//.test(file);

/** Each function over `max` lines: `file name` → lines. */
export function longFunctions(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const found = {};
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const lines = lineOf(node.getEnd()) - lineOf(node.getStart()) + 1;
      if (lines > max) {
        let named = node;
        while (!named.name?.getText && named.parent) named = named.parent;
        const key = `${file} ${named.name?.getText()}`;
        found[key] = Math.max(lines, found[key] ?? 0);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('lengths of functions', () => {
  it('are found by the name that the function or its constant has', () => {
    const body = '\n'.repeat(max);
    expect(
      longFunctions('a.ts', `function one() {${body}}\nconst two = () => {${body}};\nconst short = () => 1;`),
    ).to.equal({
      'a.ts one': max + 1,
      'a.ts two': max + 1,
    });
  });

  it('are at most a hundred lines, but for those that were longer', () => {
    const files = trackedFiles('*.ts', '*.tsx')?.filter(
      (file) => !/\/(test|testing)\/|\/testing\.ts/.test(file) && !isData(file),
    );
    if (!files) return;
    expect(files.length).to.be.above(1000);
    const found = {};
    // removed files that are not committed yet are passed over
    for (const file of files)
      if (existsSync(join(root, file)))
        Object.assign(found, longFunctions(file, readFileSync(join(root, file), 'utf8')));
    expect(lengthFaults(found, longer, max)).to.equal([]);
  });
});
