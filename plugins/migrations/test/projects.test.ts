/** Boards in imports, and in dumps of one repository. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestHost, TestResponse } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { projects } from '@mortise/projects/api';
import { repositories } from '@mortise/repositories/api';
import { send } from '@mortise/repositories/testing';
import { startSource, startTarget, type SourceSite } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
type Json = TestResponse['json'];

const own = async (by: SignedIn, method: string, path: string, body?: object): Promise<Json> => {
  const answer = await send(by, method, `/projects/${path}`, body);
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.payload}`);
  return answer.json;
};

/** Two boards: one with all that boards have, and one that is closed, of other cards. */
async function fillBoards({ ask, ada, ben }: SourceSite): Promise<void> {
  for (const title of ['Cedar', 'Ash', 'Birch', 'Elm']) await ask(ada, 'POST', '/issues', { title });
  const issues: Json[] = await ask(ada, 'GET', '/issues?state=all');
  const id = (title: string): number => issues.find((one) => one.title === title).id;
  const board = await ask(ada, 'POST', '/projects', {
    title: 'Sprint',
    description: 'All *of* it',
    template_type: 'basic_kanban',
    card_type: 'images_and_text',
  });
  const columns: Json[] = await ask(ada, 'GET', `/projects/${board.id}/columns`);
  const [first, second, third] = columns.map((one) => one.id);
  await ask(ada, 'PATCH', `/projects/${board.id}/columns/${second}`, { card_limit: 3, color: '#ff8800' });
  await ask(ada, 'POST', `/projects/${board.id}/columns/${third}/default`);
  await ask(ada, 'POST', `/projects/${board.id}/columns/move`, { column_ids: [second, first] });
  for (const title of ['Cedar', 'Ash', 'Birch'])
    await ask(ada, 'POST', `/projects/${board.id}/columns/${second}/issues/${id(title)}`);
  await ask(ada, 'POST', `/projects/${board.id}/issues/${id('Birch')}/move`, { sorting: 0 });
  await ask(ada, 'POST', `/projects/${board.id}/columns/${first}/issues/${id('Elm')}`);
  const field = async (body: object) => (await own(ada, 'POST', `${board.id}/fields`, body)).id as number;
  const size = await field({
    name: 'Size',
    kind: 'single_select',
    options: [{ title: '5', color: '#ff0000' }, { title: 'L' }],
  });
  const cost = await field({ name: 'Cost', kind: 'number' });
  const options = [{ title: 'First', starts_on: '2026-01-05', days: 14 }];
  const turn = await field({ name: 'Turn', kind: 'iteration', options });
  const values = [
    { field_id: size, value: '5' },
    { field_id: cost, value: 2.5 },
    { field_id: turn, value: 'First' },
  ];
  await own(ada, 'PATCH', `${board.id}/cards/${id('Cedar')}`, { values });
  await own(ada, 'PATCH', `${board.id}/cards/${id('Elm')}`, {
    is_archived: true,
    values: [{ field_id: cost, value: 9 }],
  });
  await own(ada, 'PUT', `${board.id}/rules/closed`, { column_id: third });
  await own(ada, 'POST', `${board.id}/views`, {
    title: 'Cheap',
    layout: 'table',
    filter: 'q=a&milestone=none',
    options: { sort: `field-${cost}`, group: `field-${size}`, order: 'desc' },
    default: true,
  });
  const other = await ask(ada, 'POST', '/projects', { title: 'Past', template_type: 'none' });
  const column = await ask(ada, 'POST', `/projects/${other.id}/columns`, { title: 'Only' });
  await ask(ada, 'POST', `/projects/${other.id}/columns/${column.id}/issues/${id('Ash')}`);
  await ask(ada, 'PATCH', `/projects/${other.id}`, { state: 'closed' });
  await ask(ben, 'GET', `/projects/${other.id}`);
}

/** All boards of a repository, with issues by their numbers. */
async function boardsOf(host: TestHost, owner: string, name: string): Promise<Json[]> {
  const repository = (await host.services.get(repositories).byPath(owner, name))!;
  const rows: { id: number; number: number }[] = await host.database
    .knex()('issue')
    .where('repository_id', repository.id)
    .select('id', 'number');
  const number = (id: number) => rows.find((row) => row.id === id)?.number;
  const all = await host.services.get(projects).export(repository.id);
  // the API tells whole seconds
  const seconds = (time = 0) => Math.floor(time / 1000);
  return all.map(({ id: _id, columns, fields = [], createdAt, updatedAt, closedAt, ...board }) => ({
    ...board,
    times: [createdAt, updatedAt, closedAt].map(seconds),
    columns: columns.map(({ issueIds, archivedIssueIds = [], ...column }) => ({
      ...column,
      issues: issueIds.map(number),
      archived: archivedIssueIds.map(number),
    })),
    fields: fields.map(({ values, ...field }) => ({
      ...field,
      values: values.map(({ issueId, value }) => `${number(issueId)} ${value}`).sort(),
    })),
  }));
}

describe('project boards in imports and dumps', { timeout: 120_000 }, () => {
  let source: SourceSite;
  let host: TestHost;
  let cas: SignedIn;
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mortise-boards-'));
    source = await startSource('mill', ['projects', 'migrations']);
    await fillBoards(source);
    host = await startTarget({ plugins: ['migrations', 'projects', 'git-http', 'auth-basic', 'activity'] });
    cas = await signUp(host, 'cas');
  });
  after(async () => {
    await host?.close();
    await source?.host.close();
    await rm(root, { recursive: true, force: true });
  });
  const migrate = (repo_name: string, kinds: object, target = cas) =>
    send(target, 'POST', '/repos/migrate', {
      clone_addr: `${source.url}/ada/mill.git`,
      service: 'gitea',
      ...source.credentials,
      repo_name,
      ...kinds,
    });
  const stepsOf = async (name: string, by = cas): Promise<Json[]> =>
    (await send(by, 'GET', `/repos/cas/${name}/migration`)).json.steps;

  it('PRJ-02: an import from another site brings boards with all that they have, without news of them', async () => {
    expect((await migrate('pool', { issues: true })).statusCode).to.equal(201);
    const there = await boardsOf(source.host, 'ada', 'mill');
    expect(there.map(({ title }) => title)).to.equal(['Sprint', 'Past']);
    expect(there[0].columns.map(({ issues, archived }: Json) => [issues, archived])).to.equal([
      [[3, 1, 2], []],
      [[], [4]],
      [[], []],
      [[], []],
    ]);
    expect(await boardsOf(host, 'cas', 'pool')).to.equal(there);
    expect((await stepsOf('pool')).at(-1)).to.include({ step: 'projects', state: 'done', done: 2, total: 2, note: '' });
    await host.settle();
    const feed = (await send(cas, 'GET', '/repos/cas/pool/activities/feeds')).json as Json[];
    expect(feed.filter(({ op_type: kind }) => /project/.test(kind))).to.equal([]);
    const card = (await send(cas, 'GET', '/repos/cas/pool/issues/2')).json;
    expect(card.projects.map(({ title }: Json) => title)).to.equal(['Sprint', 'Past']);
    const timeline = (await send(cas, 'GET', '/repos/cas/pool/issues/2/timeline')).json;
    expect(timeline).to.equal([]);
  });

  it('boards come without the issues that were not asked for, and not at all with neither issues nor pulls', async () => {
    expect((await migrate('pulls', { pull_requests: true })).statusCode).to.equal(201);
    const boards = await boardsOf(host, 'cas', 'pulls');
    expect(boards.map(({ title, columns }) => [title, columns.flatMap(({ issues }: Json) => issues)])).to.equal([
      ['Sprint', []],
      ['Past', []],
    ]);
    const step = (await stepsOf('pulls')).at(-1);
    expect(step.note).to.contain('Sprint: left out: 4 cards of issues that were not imported');
    expect((await migrate('labels', { labels: true })).statusCode).to.equal(201);
    expect(await boardsOf(host, 'cas', 'labels')).to.equal([]);
    expect((await stepsOf('labels')).map(({ step: name }) => name)).to.equal(['code', 'labels']);
  });

  it('a site without boards leaves the step out and says so', async () => {
    const other = await startTarget({ plugins: ['migrations', 'git-http', 'auth-basic'] });
    try {
      const dan = await signUp(other, 'cas');
      expect((await migrate('pool', { issues: true }, dan)).statusCode).to.equal(201);
      expect((await stepsOf('pool', dan)).at(-1)).to.include({
        step: 'projects',
        state: 'skipped',
        done: 0,
        note: 'This site has no project boards: those of the source are left out.',
      });
      expect((await send(dan, 'GET', '/repos/cas/pool/issues?state=all')).json.length).to.equal(4);
    } finally {
      await other.close();
    }
  });

  const dumped = async (folder: string, units = '') => {
    const at = join(root, folder);
    const args = { repo_dir: at, owner_name: 'ada', repo_name: 'mill', ...(units && { units }) };
    await source.host.command('dump-repo', args);
    return join(at, 'ada', 'mill');
  };
  const restore = (name: string, folder: string, more: Record<string, string | boolean> = {}) =>
    source.host.command('restore-repo', { repo_dir: folder, owner_name: 'ada', repo_name: name, ...more });

  it('MIG-02: a dump has the boards in projects.yml, and a restored repository has them again', async () => {
    const folder = await dumped('whole');
    const text = await readFile(join(folder, 'projects.yml'), 'utf8');
    expect(text).to.contain(['title: Sprint', 'state: closed', 'name: Size', 'issue: 3', 'starts_on: 2026-01-05']);
    await restore('again', folder, { validation: true, map_authors: 'name' });
    const there = await boardsOf(source.host, 'ada', 'mill');
    expect(await boardsOf(source.host, 'ada', 'again')).to.equal(there);
    const copy = (await send(source.ada, 'GET', '/repos/ada/again/projects?state=all')).json as Json[];
    expect(copy.map(({ title, creator }) => [title, creator.login])).to.equal([
      ['Past', 'ada'],
      ['Sprint', 'ada'],
    ]);
    // dumps of other units have none, and a folder without the file is a dump too
    const few = await dumped('few', 'issues');
    await expect(readFile(join(few, 'projects.yml'))).to.reject();
    await restore('few', few, { validation: true });
    await restore('units', folder, { units: 'issues,labels' });
    for (const name of ['few', 'units']) expect(await boardsOf(source.host, 'ada', name)).to.equal([]);
  });

  it('S4: what a folder says of boards is checked, and a wrong one leaves no repository', async () => {
    const folder = await dumped('checked');
    const spoilt = async (name: string, text: string, why: RegExp, more = {}) => {
      const copied = join(root, name);
      await cp(folder, copied, { recursive: true });
      await writeFile(join(copied, 'projects.yml'), text);
      await expect(restore(name, copied, more), name).to.reject(why as never);
      expect((await send(source.ada, 'GET', `/repos/ada/${name}`)).statusCode).to.equal(404);
    };
    await spoilt('list', 'title: no list', /must be a list/);
    await spoilt('title', '- description: none', /"title" is required/);
    await spoilt('first', '- continues: true\n  cards: []', /"title" is required/);
    await spoilt('card', '- title: a\n  cards: [{ issue: -1, column: 0 }]', /issue/);
    await spoilt('extra', '- title: a\n  owner: root', /"owner" is not allowed/, { validation: true });
    const copied = join(root, 'lenient');
    await cp(folder, copied, { recursive: true });
    const cards = '[{ issue: 1, column: 0, values: [{ field: __proto__, value: a }] }, { issue: 99, column: 7 }]';
    await writeFile(
      join(copied, 'projects.yml'),
      `- title: One\n  extra: 1\n  columns: [{ title: c }]\n  cards: ${cards}\n- continues: true\n  cards: [{ issue: 2, column: 0 }, { issue: 1, column: 0 }]\n`,
    );
    await restore('lenient', copied);
    const [board] = await boardsOf(source.host, 'ada', 'lenient');
    expect(board.columns.map(({ title, issues }: Json) => [title, issues])).to.equal([['c', [1, 2]]]);
  });
});
