// All texts of pages, mails and errors: complete in every language, alike in what they are filled with, and used.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { catalogueProblems, unusedTexts } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it } = lab;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const homes = [
  { sources: 'core/src', compiled: 'core/dist' },
  { sources: 'plugin-sdk/src', compiled: 'plugin-sdk/dist' },
  ...readdirSync(join(root, 'plugins')).map((name) => ({
    sources: join('plugins', name),
    compiled: join('plugins', name, 'dist'),
  })),
].filter(({ sources }) => existsSync(join(root, sources, 'texts', 'index.ts')));

/** Languages that everything of our own speaks. */
const spoken = ['de', 'en', 'es', 'fr', 'it', 'ja', 'pt-BR', 'ru', 'zh-CN'];

/** Forms of "du", and of the formal "Sie" where it cannot be the "they" or "she" at the beginning of a sentence. */
const address = /\b[Dd](?:u|ir|ich|eine?[mnrs]?)\b|[\p{L},] (?:Sie|Ihnen|Ihre?[mnrs]?)\b/u;

/** Terms with one spelling in German (docs/translating.md), by what breaks it. */
const misspellings = [
  // a space within the term, hyphens within a compound
  /Pull-Requests?(?![-\p{L}])/u,
  /Pull Requests?-\p{L}/u,
  // plural "Repositories", genitive "des Repositorys"
  /(?<!\b(?:d|ein|dies|sein|jed|ihr|kein|jen|welch)es (?:\p{L}+en )?)Repositorys\b/iu,
  /\b(?:d|ein|dies|sein|jed|ihr|kein|jen|welch)es (?:\p{L}+en )?Repositories\b/iu,
];

describe('catalogues', () => {
  for (const { sources, compiled } of homes) {
    it(`of ${sources}: complete, alike and used`, async () => {
      const { t } = await import(pathToFileURL(join(root, compiled, 'texts', 'index.js')).href);
      expect(Object.keys(t.catalogue.languages).sort()).to.equal(spoken);
      expect(catalogueProblems(t.catalogue)).to.equal([]);
      expect(unusedTexts(t.catalogue, join(root, sources))).to.equal([]);
    });
  }

  it('address nobody in German', async () => {
    const addressing = [];
    for (const { compiled } of homes) {
      const { t } = await import(pathToFileURL(join(root, compiled, 'texts', 'index.js')).href);
      for (const [key, text] of Object.entries(t.catalogue.languages.de))
        if (address.test(text)) addressing.push(`${t.catalogue.name} ${key}: ${text}`);
    }
    expect(addressing).to.equal([]);
  });

  it('spell each term in one way in German', async () => {
    const misspelled = [];
    for (const { compiled } of homes) {
      const { t } = await import(pathToFileURL(join(root, compiled, 'texts', 'index.js')).href);
      for (const [key, text] of Object.entries(t.catalogue.languages.de))
        if (misspellings.some((misspelling) => misspelling.test(text)))
          misspelled.push(`${t.catalogue.name} ${key}: ${text}`);
    }
    expect(misspelled).to.equal([]);
  });

  it('have names of their own', async () => {
    const names = await Promise.all(
      homes.map(async ({ compiled }) => {
        const { t } = await import(pathToFileURL(join(root, compiled, 'texts', 'index.js')).href);
        return t.catalogue.name;
      }),
    );
    expect(names).to.equal([...new Set(names)]);
  });
});
