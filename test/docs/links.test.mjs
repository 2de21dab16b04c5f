// Links from one document to another lead somewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const inFolder = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    // made by `npm run docs`
    .filter((path) => !path.startsWith('docs/sdk/'));
const pages = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...inFolder('docs'), ...inFolder('config')];

/** Names of the headings of a page, as hosts make them. */
const anchorsIn = (path) =>
  new Set(
    [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- _]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

describe('documents', () => {
  it('link to files that are there', () => {
    const broken = [];
    for (const page of pages) {
      const text = readFileSync(join(root, page), 'utf8').replace(/```[^]*?```|`[^`\n]*`/g, '');
      for (const [, target] of text.matchAll(/(?:\]\(|\bsrc(?:set)?=")([^)"\s]+)[)"]/g)) {
        const path = target.split('#')[0];
        if (path === '' || /^[a-z]+:/.test(path) || path.startsWith('/')) continue;
        if (!existsSync(resolve(root, dirname(page), path))) broken.push(`${page}: ${target}`);
      }
    }
    expect(broken).to.equal([]);
  });

  it('link to headings that are there', () => {
    const broken = [];
    for (const page of pages) {
      const text = readFileSync(join(root, page), 'utf8').replace(/```[^]*?```|`[^`\n]*`/g, '');
      for (const [, path, anchor] of text.matchAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g)) {
        const target = path === '' ? join(root, page) : resolve(root, dirname(page), path);
        if (target.endsWith('.md') && !anchorsIn(target).has(anchor)) broken.push(`${page}: ${path}#${anchor}`);
      }
    }
    expect(broken).to.equal([]);
  });

  it('name in CONTRIBUTING.md only files and folders that are there', () => {
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const named = [...text.matchAll(/`((?:plugins|core|docs)\/[\w./-]+)`/g)].map(([, path]) => path);
    expect(named.length).to.be.above(2);
    expect(named.filter((path) => !/toys|00NN/.test(path) && !existsSync(join(root, path)))).to.equal([]);
  });

  it('are listed for one of four kinds of readers, on a page that the README names', () => {
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
    expect(readFileSync(join(root, 'README.md'), 'utf8')).to.contain('(docs/README.md)');
    expect([...index.matchAll(/^## For (.+)$/gm)].map(([, reader]) => reader)).to.equal([
      'users',
      'operators',
      'plugin authors',
      'contributors',
    ]);
    const listed = new Set([...index.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => join('docs', target)));
    const unlisted = inFolder('docs').filter(
      (page) => !/^docs\/decisions\/|^docs\/README/.test(page) && !listed.has(page),
    );
    expect(unlisted).to.equal([]);
  });

  describe('decisions', () => {
    const decisions = readdirSync(join(root, 'docs/decisions'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => ({ name, text: readFileSync(join(root, 'docs/decisions', name), 'utf8') }));
    const named = (wrong) => decisions.filter(wrong).map(({ name }) => name);

    it('are numbered once, as their first line says', () => {
      const numbers = decisions.map(({ name }) => name.slice(0, 4));
      expect(numbers).to.equal([...new Set(numbers)]);
      expect(named(({ name, text }) => !text.startsWith(`# ${name.slice(0, 4)}: `))).to.equal([]);
    });

    it('say context, decision and consequences on one page', () => {
      const parts = ['Context', 'Decision', 'Consequences'];
      expect(named(({ text }) => parts.some((part) => !new RegExp(`^(?:\\*\\*|## )${part}`, 'm').test(text)))).to.equal(
        [],
      );
      expect(named(({ text }) => text.replace(/^\|.*$/gm, '').split(/\s+/).length > 480)).to.equal([]);
    });

    it('name what supersedes them', () => {
      expect(
        named(({ text }) => /^\W*superseded\b/im.test(text) && !/^\W*superseded\b[^.\n]*\b\d{4}\b/im.test(text)),
      ).to.equal([]);
    });
  });
});
