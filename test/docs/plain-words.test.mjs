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
const read = (page) => readFileSync(join(root, page), 'utf8');

describe('documents in plain words', () => {
  it('use none of the words that the tree had of its own', () => {
    const found = pages.flatMap((page) => {
      const text = read(page).replace(/```[^]*?```|`[^`]*`/g, '');
      return [...text.matchAll(ornate)].map(([word]) => `${page}: ${word}`);
    });
    expect(found).to.equal([]);
  });

  it('begin the README of each plugin with its package and a sentence on what it gives', () => {
    const wrong = plugins.filter((name) => {
      const [heading, first = ''] = read(`plugins/${name}/README.md`).split('\n\n');
      return heading !== `# @mortise/${name}` || !/^[A-Z][^]{20,}[.:]$/.test(first.trim());
    });
    expect(wrong).to.equal([]);
  });
});
