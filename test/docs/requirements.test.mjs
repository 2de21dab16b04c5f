// docs/requirements.md and the tests name the same requirements.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';
import { requirementIds, sources, testTitles } from '../support/test-titles.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

/** Rows of a table: the id and the rest. */
const rowsOf = (text) => [...text.matchAll(/^\| ([A-Z]{3}-\d{2}) \| (.+) \|$/gm)].map(([, id, rest]) => [id, rest]);

/** Ids that rows have and no title names, but for those that are listed as open; and open ones that a title names. */
export function compareRequirements(text, titles) {
  const [listed, opened = ''] = text.split(/^## Open$/m);
  const named = new Set(titles.flatMap(requirementIds));
  const [rows, open] = [rowsOf(listed).map(([id]) => id), rowsOf(opened).map(([id]) => id)];
  return {
    untested: rows.filter((id) => !named.has(id) && !open.includes(id)),
    openButTested: open.filter((id) => named.has(id)),
    unknown: [...named].filter((id) => !rows.includes(id)),
    openWithoutRow: open.filter((id) => !rows.includes(id)),
  };
}

describe('docs/requirements.md', () => {
  const text = readFileSync(join(root, 'docs', 'requirements.md'), 'utf8');
  const [listed] = text.split(/^## Open$/m);
  const ids = rowsOf(listed).map(([id]) => id);
  // what looks alike: encodings, and names in examples of markup
  const isOther = (id) => /^(UTF|SHA|ABC|AES|AAA|BBB)-/.test(id);

  it('has one row of text for each requirement', () => {
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).to.be.empty();
    expect(ids.length).to.be.above(400);
  });

  it('has a row for every requirement that code and tests name', () => {
    const missing = new Map();
    for (const folder of ['core/src', 'plugin-sdk/src', 'plugins', 'migrations', 'test', 'bench'])
      for (const path of sources(join(root, folder), /\.(?:tsx?|mjs)$/))
        for (const [id] of readFileSync(path, 'utf8').matchAll(/\b[A-Z]{3}-\d{2}\b(?!\d)/g))
          if (!ids.includes(id) && !isOther(id)) missing.set(id, path.slice(root.length + 1));
    expect(Object.fromEntries(missing)).to.equal({});
  });

  it('names no requirement that neither has a test with its id in the title nor is open with a reason', () => {
    const titles = [...testTitles(root)].map(({ title }) => title);
    const { unknown, ...rest } = compareRequirements(text, titles);
    expect(rest).to.equal({ untested: [], openButTested: [], openWithoutRow: [] });
    expect(unknown.filter((id) => !isOther(id))).to.equal([]);
  });

  it('is compared with titles in both directions, ranges of ids included', () => {
    const page =
      '| AAA-01 | a |\n| AAA-02 | b |\n| AAA-03 | c |\n| AAA-04 | d |\n\n## Open\n\n| AAA-03 | late |\n| AAA-09 | x |\n';
    expect(compareRequirements(page, ['AAA-01 to AAA-03: first', 'of BBB-01'])).to.equal({
      untested: ['AAA-04'],
      openButTested: ['AAA-03'],
      unknown: ['BBB-01'],
      openWithoutRow: ['AAA-09'],
    });
  });
});
