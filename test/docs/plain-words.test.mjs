// Documents are written in the words of the field (CONTRIBUTING.md, "Names"), and READMEs of plugins begin with what they give.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

/** Words that say less than the plain one: "stored encrypted" for "sealed", "notified" or "sent" for "told". */
const ornate = /\b(?:whoever|nobody's|sealed|anew|deeds|parked|told|settling)\b/gi;
/** Another change supersedes these. */
const left = /^docs\/decisions\/00(?:07|08|12|18|29)-/;

const plugins = readdirSync(join(root, 'plugins'));
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md'),
  ...readdirSync(join(root, 'docs'), { recursive: true })
    .filter((name) => name.endsWith('.md') && !name.startsWith('sdk'))
    .map((name) => join('docs', name)),
  ...plugins.map((name) => `plugins/${name}/README.md`),
].filter((page) => !left.test(page));
function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !['dist', 'node_modules', 'test'].includes(entry.name)) yield* sources(path);
    else if (/\.tsx?$/.test(entry.name)) yield path;
  }
}
const read = (page) => readFileSync(join(root, page), 'utf8');

describe('documents in plain words', () => {
  it('use none of the words that the tree had of its own', () => {
    const found = pages.flatMap((page) => {
      const text = read(page).replace(/```[^]*?```|`[^`]*`/g, '');
      return [...text.matchAll(ornate)].map(([word]) => `${page}: ${word}`);
    });
    expect(found).to.equal([]);
  });

  it('name in READMEs of plugins only exports and functions that the code has', () => {
    const known = new Set();
    for (const folder of ['plugins', 'core/src', 'plugin-sdk/src'])
      for (const path of sources(join(root, folder)))
        for (const [word] of readFileSync(path, 'utf8').matchAll(/\b[a-z]+[A-Z]\w*/g)) known.add(word);
    const wrong = plugins.flatMap((name) =>
      [...read(`plugins/${name}/README.md`).matchAll(/`([a-z]+[A-Z][A-Za-z]+)`/g)]
        .filter(([, word]) => !known.has(word))
        .map(([, word]) => `${name}: ${word}`),
    );
    expect(wrong).to.equal([]);
  });

  it('begin the README of each plugin with its package and a sentence on what it gives', () => {
    const wrong = plugins.filter((name) => {
      const [heading, first = ''] = read(`plugins/${name}/README.md`).split('\n\n');
      return heading !== `# @mortise/${name}` || !/^[A-Z][^]{20,}[.:]$/.test(first.trim());
    });
    expect(wrong).to.equal([]);
  });
});
