/** Boards of sources that mean harm, and that break off. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { projectLimits, projects } from '@mortise/projects/api';
import { repositories, type Repository } from '@mortise/repositories/api';
import { send } from '@mortise/repositories/testing';
import { SourceFailure, type SourceReader } from '../contract/source.js';
import { repositoryImporter } from '../contract/importer.js';
import type { SourceProject } from '../contract/records.js';
import { projectToRecords } from '../dump/project-records.js';
import { cleanProject } from '../steps/project-record.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const author = { name: 'eve', id: 7 };
const issue = (number: number) => ({
  number,
  title: `issue ${number}`,
  body: '',
  author,
  isClosed: false,
  isLocked: false,
  labels: [],
  assignees: [],
  reactions: [],
});
const board = (id: string, more: Partial<SourceProject> = {}): SourceProject => ({
  id,
  title: `board ${id}`,
  description: '',
  isClosed: false,
  columns: [{ title: 'todo' }, { title: 'done' }],
  cards: [
    { issue: 1, column: 1 },
    { issue: 2, column: 0 },
  ],
  ...more,
});

describe('boards of sources', { timeout: 120_000 }, () => {
  let host: TestHost;
  let cas: SignedIn;
  let count = 0;
  before(async () => {
    host = await startHost({ plugins: ['migrations', 'projects'] });
    cas = await signUp(host, 'cas');
  });
  after(() => host?.close());

  const repository = async (): Promise<Repository> => {
    const name = `b${++count}`;
    expect((await send(cas, 'POST', '/user/repos', { name })).statusCode).to.equal(201);
    return (await host.services.get(repositories).byPath('cas', name))!;
  };
  async function* issues() {
    yield { items: [1, 2, 3].map(issue) };
  }
  const run = async (
    given: SourceReader['projects'],
    target: Repository,
    check: () => Promise<void> = () => Promise.resolve(),
  ) => {
    const steps = await host.services.get(repositoryImporter).run({
      repository: target,
      reader: { issues, projects: given } as unknown as SourceReader,
      kinds: new Set(['issues']),
      actor: cas.actor,
      authors: { by: 'none', accounts: {} },
      signal: new AbortController().signal,
      check,
    });
    return steps.at(-1)!;
  };
  const boards = (target: Repository) => host.services.get(projects).export(target.id);

  it('S4: names of 100,000 characters, foreign cards, wrong values and colours are cut or left out, and counted', async () => {
    const long = 'x'.repeat(100_000);
    const hostile = board('1', {
      title: `  ${long}\u0000`,
      description: `<script>${long}${long}`,
      creator: { name: long },
      cardType: 'huge' as never,
      template: long as never,
      createdAt: Number.NaN,
      columns: [
        { title: long, color: 'red;', cardLimit: 1e9 },
        { title: '\u0007', color: '#ABC', isDefault: true },
        ...Array.from({ length: 200 }, () => ({ title: 'more' })),
      ],
      cards: [
        {
          issue: 1,
          column: 0,
          values: [
            { field: long, value: long },
            { field: 'n', value: 'many' },
            { field: 'constructor', value: 1 },
          ],
        },
        {
          issue: 2,
          column: 0,
          values: [
            { field: 'n', value: 1e300 },
            { field: 'd', value: '2026-02-30' },
            { field: 's', value: 'XL' },
          ],
        },
        {
          issue: 3,
          column: 1,
          isArchived: true,
          values: [
            { field: 's', value: 'S' },
            { field: 'n', value: 4 },
          ],
        },
        { issue: 1, column: 1 },
        { issue: 99, column: 0 },
        { issue: -1, column: 0 },
        { issue: 1.5, column: 0 },
        { issue: 2, column: 150 },
        { issue: 3, column: -1 },
      ],
      fields: [
        { name: long, kind: 'text' },
        { name: `${long}y`, kind: 'text' },
        { name: 'n', kind: 'number' },
        { name: 'd', kind: 'date' },
        { name: 's', kind: 'single_select', options: [{ title: 'S' }, { title: 's' }, { title: 'S' }] },
        { name: 'i', kind: 'iteration', options: [{ title: 'bad', startsOn: 'soon', days: 3 }] },
        { name: 'x', kind: 'formula' as never },
      ],
      views: [
        { title: long, layout: 'pie' as never, filter: long, options: { sort: 'field:n', deep: { a: [] }, long } },
        ...Array.from({ length: 60 }, () => ({ title: 'v', layout: 'table' as const, filter: '', options: {} })),
      ],
      rules: [
        { event: 'closed', column: 1 },
        { event: 'closed', column: 150 },
        { event: 'exploded' as never, column: 0 },
      ],
    });
    const target = await repository();
    const step = await run(async function* () {
      yield { items: [hostile, board('', {}), board('2')] };
    }, target);
    expect(step).to.include({ step: 'projects', state: 'done', done: 2 });
    const [first, second] = await boards(target);
    expect([first!.title.length, first!.description!.length]).to.equal([255, 100_000]);
    expect(first!.columns.length).to.equal(projectLimits.columns);
    expect(
      first!.columns
        .slice(0, 2)
        .map(({ title, color, isDefault, cardLimit, issueIds, archivedIssueIds }) => [
          title!.length,
          color,
          isDefault,
          cardLimit,
          issueIds.length,
          archivedIssueIds!.length,
        ]),
    ).to.equal([
      [100, '#cccccc', false, 10_000, 2, 0],
      ['Column 2'.length, '#aabbcc', true, 0, 0, 1],
    ]);
    expect(first!.fields!.map(({ kind, values }) => [kind, values.length])).to.equal([
      ['text', 1],
      ['text', 0],
      ['number', 1],
      ['date', 0],
      ['single_select', 1],
      ['iteration', 0],
    ]);
    expect(first!.fields![4]!.options!.map(({ title }) => title)).to.equal(['S', 's (2)']);
    expect(first!.views!.length).to.equal(projectLimits.views);
    expect(first!.views![0]).to.include({ layout: 'columns', options: {} });
    expect(first!.rules).to.equal([{ event: 'closed', column: 1 }]);
    expect(second).to.include({ title: 'board 2' });
    expect(step.note).to.contain([
      '102 columns',
      '3 cards of issues that were not imported',
      '2 cards of columns that are not there',
      '5 values',
      '11 views',
      'they have no number or name that can be taken: 1',
    ]);
    const page = await cas.inject(`/cas/${target.name}/projects`);
    expect(page.payload).not.to.contain('<script>x');
  });

  it('S4: boards and cards without end stop at a bound that is named', async () => {
    const refused = async (given: SourceReader['projects']) => {
      const failure = await run(given, await repository()).catch((error: unknown) => error);
      expect(SourceFailure.is(failure), String(failure)).to.be.true();
      return (failure as Error).message;
    };
    const same = async function* () {
      for (let page = 0; ; page++) yield { items: [board('1')], next: String(page) };
    };
    expect(await refused(same)).to.match(/repeats what it has given/);
    const target = await repository();
    const cards = Array.from({ length: 30_000 }, (_, n) => ({ issue: (n % 3) + 1, column: 0 }));
    const step = await run(async function* () {
      yield { items: [board('1', { cards })] };
    }, target);
    expect(step).to.include({ state: 'done', done: 1 });
    expect((await boards(target))[0]!.columns[0]!.issueIds.length).to.equal(3);
  });

  it('S4: records that are null or odd in any place are refused with what is wrong and where, and the import ends', async () => {
    const odd = (value: unknown) => value as never;
    const refused = async (page: unknown) => {
      const target = await repository();
      const failure = await run(async function* () {
        yield odd(page);
      }, target).catch((error: unknown) => error);
      expect(SourceFailure.is(failure), String(failure)).to.be.true();
      expect(await boards(target)).to.equal([]);
      return (failure as Error).message;
    };
    for (const [more, error] of [
      [{ cards: [{ issue: 1, column: 0 }, null] }, 'cards[1] is null instead of an object'],
      [{ cards: [{ issue: 1, column: 0, values: [null] }] }, 'cards[0].values[0] is null instead of an object'],
      [{ columns: [null] }, 'columns[0] is null'],
      [{ fields: ['Size'] }, 'fields[0] is a string'],
      [{ fields: [{ name: 's', kind: 'single_select', options: [[]] }] }, 'fields[0].options[0] is a list'],
      [{ views: [undefined] }, 'views[0] is undefined'],
      [{ rules: [7] }, 'rules[0] is a number'],
      [{ creator: 'eve' }, 'creator is a string'],
    ] as const)
      expect(await refused({ items: [board('1', odd(more))] })).to.include(error);
    expect(await refused({ items: [null] })).to.include('number 1 of a page: the record is null');
    expect(await refused(null)).to.include('the page is null');
    expect(await refused({ items: [board('1')], next: 7 })).to.include('lead nowhere');
    const target = await repository();
    const tolerated = board('1', odd({ cards: null, fields: {}, views: 'none', rules: null, creator: null }));
    await run(async function* () {
      yield { items: [tolerated] };
    }, target);
    expect((await boards(target))[0]!.columns.length).to.equal(2);
  });

  it('S4: issues, comments and reviews whose authors or lists hold null are refused with what is wrong and where', async () => {
    const refused = async (reader: object) => {
      const failure = await host.services
        .get(repositoryImporter)
        .run({
          repository: await repository(),
          reader: reader as SourceReader,
          kinds: new Set(['issues', 'pull_requests', 'labels', 'releases']),
          actor: cas.actor,
          authors: { by: 'none', accounts: {} },
          signal: new AbortController().signal,
        })
        .catch((error: unknown) => error);
      expect(SourceFailure.is(failure), String(failure)).to.be.true();
      return (failure as Error).message;
    };
    const pageOf = (item: unknown) =>
      async function* () {
        yield { items: [item] };
      };
    const odd = { ...issue(1), author: null };
    const pull = { ...issue(1), head: null, base: {} };
    const release = { id: '1', tagName: 'v1', author, assets: [null] };
    expect(await refused({ issues: pageOf(odd) })).to.include('author is null instead of an object (issues)');
    expect(await refused({ issues: pageOf({ ...issue(1), assignees: [7] }) })).to.include('assignees[0] is a number');
    const reactions = [{ content: '+1', user: null }];
    expect(await refused({ issues: pageOf({ ...issue(1), reactions }) })).to.include('reactions[0].user is null');
    expect(await refused({ comments: pageOf({ id: '1', issue: 1, body: 'x' }) })).to.include('author is undefined');
    expect(await refused({ pullRequests: pageOf(pull) })).to.include('head is null');
    expect(await refused({ labels: pageOf(null) })).to.include('the record is null');
    expect(await refused({ releases: pageOf(release) })).to.include('assets[0] is null');
  });

  it('S4: options of views are stored without NUL and unpaired surrogates, in names, values and lists', async () => {
    const target = await repository();
    const options = { 'so\u0000rt': 'num\u0000ber', columns: ['a\u0000b', 'c\ud800d', 1] };
    await run(async function* () {
      yield { items: [board('1', { views: [{ title: 'v', layout: 'table', filter: '', options }] })] };
    }, target);
    const [view] = (await boards(target))[0]!.views!.filter(({ title }) => title === 'v');
    expect(JSON.stringify(view!.options)).to.not.include(['\\u0000', '\\ud800']);
  });

  it('S4: a board of 10,000 cards with 50 values each is cleaned in slices that let others have their turn', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `field ${n}`);
    const cards = Array.from({ length: 10_000 }, (_, n) => ({
      issue: n + 1,
      column: 0,
      values: names.map((field) => ({ field, value: `value ${n}` })),
    }));
    const fields = names.map((name) => ({ name, kind: 'text' as const }));
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { project: given, omitted } = await cleanProject(board('1', { cards, fields }), (number) => number);
    isDone = true;
    expect(given.fields!.map(({ values }) => values.length)).to.equal(names.map(() => 10_000));
    expect([...omitted]).to.equal([]);
    expect(turns).to.be.above(150);
  });

  it('S5: an import that ends at any transaction goes on where it was: each board is there once, and whole', async () => {
    const given = async function* (after?: string) {
      for (let number = Number(after ?? 0) + 1; number <= 4; number++) {
        const fields = [{ name: 'Size', kind: 'number' }] as const;
        const cards = [
          { issue: 1, column: 0, values: [{ field: 'Size', value: number }] },
          { issue: 3, column: 1 },
        ];
        // it moved meanwhile: the board before comes again
        const items = [...(number > 1 ? [board(String(number - 1))] : []), board(String(number), { fields, cards })];
        yield { items, ...(number < 4 && { next: String(number) }) };
      }
    };
    const target = await repository();
    let killed = 0;
    for (let at = 1; ; at++) {
      let transactions = 0;
      const dies = () => (++transactions === at ? Promise.reject(new Error('killed')) : Promise.resolve());
      const ended = await run(given, target, dies).catch((error: unknown) => error);
      if (!(ended instanceof Error)) break;
      expect(ended.message).to.equal('killed');
      killed++;
      for (const one of await boards(target))
        expect(
          one.columns.map(({ issueIds }) => issueIds.length),
          one.title,
        ).to.equal([1, 1]);
      // what was done stays: the next run dies one transaction later than where this one went on
      if (at > 3) at = 0;
    }
    expect(killed).to.be.above(3);
    expect((await boards(target)).map(({ title, fields }) => [title, fields![0]!.values[0]!.value])).to.equal(
      [1, 2, 3, 4].map((number) => [`board ${number}`, number]),
    );
    // once more, when all is done
    await run(given, target);
    expect((await boards(target)).length).to.equal(4);
  });

  it('MIG-02: a board of 10,000 cards with values takes several elements of the list, and is one board again', () => {
    const cards = Array.from({ length: projectLimits.cards }, (_, n) => ({
      issue: n + 1,
      column: n % 2,
      values: [{ field: 'a', value: 'y'.repeat(500) }],
    }));
    const records = projectToRecords(board('1', { cards }));
    expect(records.length).to.equal(5);
    expect(records.slice(1).every((one) => 'continues' in one && one.continues)).to.be.true();
    expect(records.flatMap((one) => one.cards ?? []).map((one) => one.issue)).to.equal(cards.map((one) => one.issue));
  });
});
