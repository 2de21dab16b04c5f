import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { QueryBuilder } from 'objection';
import { database, definePlugin, defineService, type Database, type Finding, type Model } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';
import { repositories, type Repository } from '@mortise/repositories/api';
import { createRepository } from '@mortise/repositories/testing';
import { searchIndex, searchSources, type DocumentColumns, type SearchDocument } from '../api.js';
import { DocumentRow } from '../models/document.js';
import { recentFirst } from '../services/recent-first.js';
import type { Rebuild } from '../services/rebuild.js';
import { clausesOf } from '../services/terms.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const rebuild = defineService<Rebuild>('search.rebuild');

describe('the search index', { timeout: 300_000 }, () => {
  let host: TestHost;
  let first: Repository;
  let second: Repository;
  const texts: SearchDocument[] = [];

  before(async () => {
    const source = definePlugin({
      name: 'test-texts',
      version: '1.0.0',
      sdk: '*',
      requires: { search: '^1.0.0' },
      register: (plugin) =>
        plugin.contribute(searchSources, {
          key: 'note',
          version: 1,
          batch: async (afterId, limit) => texts.filter(({ id }) => id > afterId).slice(0, limit),
          count: async () => texts.length,
        }),
    });
    host = await startHost({ plugins: ['search', source] });
    const ada = await createAccount(host, 'ada');
    first = await createRepository(host, ada, 'first');
    second = await createRepository(host, ada, 'second');
  });
  after(() => host.close());

  const index = () => host.services.get(searchIndex);
  const data = () => host.services.get(database);
  const note = (id: number, body: string, more: Partial<SearchDocument> = {}): SearchDocument => ({
    kind: 'note',
    id,
    repositoryId: first.id,
    subjectType: 'note',
    subjectId: id,
    body,
    ...more,
  });
  const put = (...documents: SearchDocument[]) => data().write(() => index().put(documents));
  const find = async (text: string, repositoryId?: number, subjectType = 'note') => {
    const found = await index().find({ subjectType, text, repositoryId });
    return [...found].sort((one, other) => one - other);
  };

  it('finds words by their beginnings, in any script, in titles and bodies', async () => {
    await put(
      note(1, 'The gearbox rattles when cold. See `getUserName`.', { title: 'A noise' }),
      note(2, '全文搜索很好用', { title: 'Ω mega' }),
      note(3, 'Привет, Größe: 10 µm, naïve', { repositoryId: second.id }),
      note(4, 'the the the'),
    );
    for (const [text, expected] of [
      ['gear', [1]],
      ['GEARBOX rattl', [1]],
      ['earbox', []],
      ['noise cold', [1]],
      ['username', [1]],
      ['userName', [1]],
      ['user', [1]],
      ['"when cold"', [1]],
      ['"cold when"', []],
      ['搜索', [2]],
      ['文搜', [2]],
      ['索', [2]],
      ['搜好', []],
      ['привет', [3]],
      ['grö', [3]],
      ['gro', [3]],
      ['naive', [3]],
      ['the', [1, 4]],
      ['t', [1, 4]],
      ['10', [3]],
      ['ω', [2]],
      ['!', []],
      ["'; drop table search_document; --", []],
    ] as const)
      expect(await find(text), text).to.equal([...expected]);
    expect(await find('the', second.id)).to.equal([]);
    expect(await find('привет', second.id)).to.equal([3]);
    expect(await find('the', undefined, 'other')).to.equal([]);
  });

  it('finds the newest of what is frequent, and all of what is rare', async () => {
    const words: Readonly<Record<string, (n: number) => boolean>> = {
      common: () => true,
      tenth: (n) => n % 10 === 0,
      rare: (n) => n === 3,
      early: (n) => n < 150,
      // frequent among the newest hundred, and not among those that are looked through for two
      middle: (n) => n >= 210 && n < 240,
      late: (n) => n >= 180,
    };
    const numbers = Array.from({ length: 300 }, (_, n) => n);
    const bodyOf = (n: number) => Object.keys(words).filter((word) => words[word]!(n));
    await put(...numbers.map((n) => note(1000 + n, bodyOf(n).join(' '), { subjectType: 'many' })));
    for (const repositoryId of [undefined, first.id])
      for (const max of [2, 50, 5000])
        for (const [text, has] of [
          ...Object.entries(words),
          ['comm', () => true],
          ['late "common tenth"', (n: number) => words.tenth!(n) && words.late!(n)],
          ['"common late"', (n: number) => words.late!(n) && !words.middle!(n) && !words.tenth!(n)],
        ] as const) {
          const found = await index().findEach({ subjectTypes: ['many', 'none'], text, repositoryId, max });
          const expected = numbers.filter(has).reverse().slice(0, max);
          expect(
            found.get('many')!.map((id) => id - 1000),
            `${text} ${max}`,
          ).to.equal(expected);
          expect(found.get('none')).to.equal([]);
        }
    // never more than so many are looked through, however few of the newest have the word
    const looked: unknown[] = [];
    const watched = {
      engine: data().engine,
      query: (model: typeof DocumentRow) => data().query(model),
      knex: () => ({
        raw: (sql: string, bindings: number[]) => {
          if (sql.includes('as bytes from')) looked.push(bindings.at(-1));
          return data().knex().raw(sql, bindings);
        },
      }),
    } as unknown as Database;
    for (const text of ['common', 'tenth', 'common tenth late early middle rare x'])
      await recentFirst(watched, clausesOf(text), { subjectTypes: ['many'] }, 5000);
    expect(looked).to.equal([7501]);
    const among = ({ subject }: DocumentColumns) =>
      DocumentRow.query()
        .alias('own')
        .select('own.id')
        .whereColumn('own.subject_id', subject)
        .where('own.body_terms', 'like', '%tenth%') as unknown as QueryBuilder<Model>;
    for (const max of [5, 50]) {
      const found = await index().findEach({ subjectTypes: ['many'], text: 'common', max, among });
      expect(found.get('many')).to.equal(
        numbers
          .filter((n) => n % 10 === 0)
          .reverse()
          .slice(0, max)
          .map((n) => 1000 + n),
      );
    }
    expect(await find('common', second.id, 'many')).to.equal([]);
    await data().write(() =>
      index().removeSubjects(
        'many',
        numbers.map((n) => 1000 + n),
      ),
    );
  });

  it('keeps up: replaced, removed, and with their repository', async () => {
    await put(note(1, 'now it purrs', { title: 'A noise' }));
    expect(await find('rattles')).to.equal([]);
    expect(await find('purrs')).to.equal([1]);
    await put(note(50, 'a comment that sings', { subjectId: 1 }));
    expect(await find('sings')).to.equal([1]);
    await data().write(() => index().remove('note', [50]));
    expect(await find('sings')).to.equal([]);
    await data().write(() => index().removeSubjects('note', [1, 4]));
    expect(await find('purrs')).to.equal([]);
    const undone = data().write(async () => {
      await index().put([note(9, 'undone')]);
      throw new Error('undo');
    });
    await expect(undone).to.reject('undo');
    expect(await find('undone')).to.equal([]);
    await host.services.get(repositories).delete(second);
    expect(await find('привет')).to.equal([]);
    expect(await data().query(DocumentRow).where('repository_id', second.id).resultSize()).to.equal(0);
  });

  it('is made anew by a command, and the doctor sees what is missing', async () => {
    for (let id = 1; id <= 450; id++) texts.push(note(id, id % 2 ? 'odd number' : 'even number'));
    const lines = await host.command('search rebuild', {});
    expect(JSON.stringify(lines)).to.contain('450 texts');
    expect(await find('odd')).to.have.length(225);
    expect(await find('搜索')).to.equal([]);
    texts.push(note(451, 'odd one out'));
    const doctor = async (fix: boolean) => {
      const found: Finding[] = [];
      for await (const finding of host.services.get(rebuild).findings(fix)) found.push(finding);
      return found;
    };
    expect((await doctor(false)).map(({ text }) => text).join()).to.contain('450 of 451');
    expect((await doctor(true)).map(({ fixed }) => fixed)).to.equal([true]);
    expect(await doctor(false)).to.equal([]);
    expect(await find('out')).to.equal([451]);
  });
});
