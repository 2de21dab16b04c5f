// Each id of a requirement that code or a test names has its row in docs/requirements.md.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const endings = new Set(['.ts', '.tsx', '.mjs']);
const skipped = new Set(['dist', 'node_modules', 'fixtures', '.cache']);

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* sources(path);
    else if (entry.isFile() && endings.has(extname(entry.name))) yield path;
  }
}

describe('docs/requirements.md', () => {
  const rows = [
    ...readFileSync(join(root, 'docs', 'requirements.md'), 'utf8').matchAll(/^\| ([A-Z]{3}-\d{2}) \| (.+) \|$/gm),
  ];

  it('has one row of text for each id', () => {
    const ids = rows.map(([, id]) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).to.be.empty();
    expect(rows.length).to.be.above(150);
  });

  it('knows every id that code and tests name', () => {
    const known = new Set(rows.map(([, id]) => id));
    // what looks alike: encodings, and names in examples of markup
    const isOther = (id) => /^(UTF|SHA|ABC|AES)-/.test(id);
    const missing = new Map();
    for (const folder of ['core/src', 'plugin-sdk/src', 'plugins', 'migrations', 'test', 'bench'])
      for (const path of sources(join(root, folder)))
        for (const [id] of readFileSync(path, 'utf8').matchAll(/\b[A-Z]{3}-\d{2}\b(?!\d)/g))
          if (!known.has(id) && !isOther(id)) missing.set(id, path.slice(root.length + 1));
    expect(Object.fromEntries(missing)).to.equal({});
  });
});
