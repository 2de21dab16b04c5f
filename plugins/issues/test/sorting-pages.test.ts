import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database } from '@mortise/plugin-sdk';
import { multipart, redoMigration, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { MilestoneRow } from '../models/milestone.js';
import type { ExchangedMilestone } from '../services/exchange-format.js';
import { renderAnswers } from '../services/form-answers.js';
import { readForm } from '../services/issue-template.js';
import { MilestoneExchange } from '../services/milestone-exchange.js';
import { issueServices } from '../services/services.js';
import { taskListHash, toggleTask } from '../services/task-list.js';
import { api, makeLabel, makeWorld, open, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const home = '/ada/desk';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const form = `name: Bug
about: Broken
title: "Bug: "
labels: [bug]
assignees: [ben, nobody]
body:
  - type: markdown
    attributes: { value: "Thanks for *telling*." }
  - type: input
    id: version
    attributes: { label: Version }
    validations: { required: true }
  - type: textarea
    id: log
    attributes: { label: Log, render: shell }
  - type: dropdown
    id: where
    attributes: { label: Where, options: [Here, There] }
  - type: checkboxes
    id: terms
    attributes: { label: Terms, options: [{ label: Searched, required: true }, { label: Sure }] }
`;

describe('pages that sort issues', { timeout: 120_000 }, () => {
  let world: World;
  const page = async (by: Pick<TestClient, 'inject'>, path: string, status = 200): Promise<string> => {
    const answer = await by.inject(path);
    expect(answer.statusCode, path).to.equal(status);
    return answer.payload;
  };
  const post = (by: TestClient, url: string, fields: readonly (readonly [string, string])[]) =>
    by.inject({ method: 'POST', url, ...multipart(fields.map(([name, value]) => ({ name, value }))) });
  const write = (path: string, text: string) =>
    send(world.ada, 'POST', `${api}/contents/${path}`, { content: base64(text), message: 'x' });

  before(async () => {
    world = await makeWorld(['issues', 'files', 'refs', 'organizations']);
    await write('README.md', 'x');
    await makeLabel(world.ada, 'bug');
  });
  after(() => world.host.close());

  it('a blank issue is opened without templates, with what those who may write choose', async () => {
    const { ada, cas } = world;
    expect((await ada.inject(`${home}/issues/new/choose`)).statusCode).to.equal(302);
    expect(await page(ada, `${home}/issues/new?title=Given&body=words`)).to.include([
      'value="Given"',
      'words</textarea>',
    ]);
    const made = await post(ada, `${home}/issues/new`, [
      ['title', 'Mine'],
      ['body', 'text'],
      ['assignees', 'ben'],
      ['due', '2031-01-02'],
    ]);
    expect(String(made.headers.location)).to.endWith('/issues/1');
    const one = (await send<Record<string, unknown>>(ada, 'GET', `${api}/issues/1`)).body;
    expect([one.title, one.body, one.due_date]).to.equal(['Mine', 'text', '2031-01-02T23:59:59Z']);
    await post(cas, `${home}/issues/new`, [
      ['title', 'Theirs'],
      ['assignees', 'ben'],
    ]);
    expect((await send<Record<string, unknown>>(ada, 'GET', `${api}/issues/2`)).body.assignees).to.be.null();
    const empty = await post(cas, `${home}/issues/new`, [['body', 'kept']]);
    expect([empty.statusCode, empty.payload.includes('kept</textarea>')]).to.equal([422, true]);
    expect((await world.host.inject(`${home}/issues/new`)).statusCode).to.be.within(302, 401);
  });

  it('ISS-01, ISS-02: forms are filled in, and blank issues can be switched off', async () => {
    const { ada, cas } = world;
    await write('.mortise/ISSUE_TEMPLATE/bug.yaml', form);
    await write(
      '.mortise/issue_config.yaml',
      'blank_issues_enabled: false\ncontact_links:\n  - {name: Forum, url: "https://forum.example", about: Ask}\n',
    );
    const choice = await page(cas, `${home}/issues/new/choose`);
    expect(choice).to.include(['Bug', 'Forum', 'https://forum.example']).and.to.not.include('Blank issue');
    expect(String((await cas.inject(`${home}/issues/new`)).headers.location)).to.endWith('/issues/new/choose');
    const file = '.mortise/ISSUE_TEMPLATE/bug.yaml';
    const shown = await page(cas, `${home}/issues/new?template=${encodeURIComponent(file)}`);
    expect(shown).to.include(['value="Bug: "', 'form-field-version', 'Thanks for']);
    await page(cas, `${home}/issues/new?template=other.yaml`, 404);
    const blank = await post(cas, `${home}/issues/new`, [['title', 'Blank']]);
    expect(blank.statusCode).to.equal(422);
    const fields = [
      ['template', file],
      ['title', 'Bug: it'],
      ['form-field-log', 'a ``` b'],
    ] as const;
    const missing = await post(cas, `${home}/issues/new`, fields);
    expect(missing.statusCode).to.equal(422);
    expect(missing.payload).to.include(['Version is required', 'a ``` b</textarea>']);
    const made = await post(cas, `${home}/issues/new`, [
      ...fields,
      ['form-field-version', '1.0'],
      ['form-field-where', 'There'],
      ['form-field-terms', '0'],
    ]);
    const { body } = await send<{ body: string; labels: { name: string }[]; assignees: { login: string }[] }>(
      ada,
      'GET',
      `${api}${String(made.headers.location).slice(home.length)}`,
    );
    expect(body.body).to.equal(
      '### Version\n\n1.0\n\n### Log\n\n````shell\na ``` b\n````\n\n### Where\n\nThere\n\n### Terms\n\n- [x] Searched\n- [ ] Sure\n',
    );
    expect([body.labels.map(({ name }) => name), body.assignees.map(({ login }) => login)]).to.equal([
      ['bug'],
      ['ben'],
    ]);
  });

  it('labels are made, changed, and deleted; a set of them begins an empty list', async () => {
    const { ada, ben, cas } = world;
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'bare' });
    await submitForm(ada, '/ada/bare/labels/initialize', { set: 'Default' });
    expect(await page(cas, '/ada/bare/labels'))
      .to.include('wontfix')
      .and.to.not.include('labels/new');
    expect((await submitForm(ada, '/ada/bare/labels/initialize', { set: 'None' })).statusCode).to.equal(422);
    const made = await submitForm(ben, `${home}/labels/new`, { name: 'a/b', color: '#123456', exclusive: 'on' });
    expect(made.statusCode).to.equal(303);
    const labels = (await send<{ id: number; name: string; exclusive: boolean }[]>(ada, 'GET', `${api}/labels`)).body;
    const { id, exclusive } = labels.find(({ name }) => name === 'a/b')!;
    expect(exclusive).to.be.true();
    const bad = await submitForm(ben, `${home}/labels/${id}`, { name: 'a/c', color: 'blue' });
    expect([bad.statusCode, bad.payload.includes('value="a/c"')]).to.equal([422, true]);
    await submitForm(ben, `${home}/labels/${id}`, { name: 'a/c', color: '#fff', archived: 'on' });
    expect(await page(cas, `${home}/labels`)).to.include('archived');
    await submitForm(ben, `${home}/labels/${id}/delete`);
    expect(await page(cas, `${home}/labels`)).to.not.include('a/c');
    expect((await submitForm(cas, `${home}/labels/new`, { name: 'x', color: '#fff' })).statusCode).to.equal(403);
  });

  it('ISS-12, ISS-13: milestones are made, closed, opened and deleted, and show how far they are', async () => {
    const { ada, ben, cas } = world;
    const made = await submitForm(ben, `${home}/milestones/new`, {
      title: 'M',
      description: '*soon*',
      due: '2031-01-02',
    });
    const [, id] = /milestone\/(\d+)$/.exec(String(made.headers.location))!;
    await open(ada, { title: 'In it', milestone: Number(id) });
    await open(ada, { title: 'Was in it', milestone: Number(id), closed: true });
    const view = await page(cas, `${home}/milestone/${id}`);
    expect(view).to.include(['50% complete', '<em>soon</em>', 'In it', 'Jan 2, 2031']).and.to.not.include('Was in it');
    expect(await page(cas, `${home}/milestone/${id}?state=closed`)).to.include('Was in it');
    const odd = await submitForm(ben, `${home}/milestones/${id}/edit`, { title: '' });
    expect(odd.statusCode).to.equal(422);
    await submitForm(ben, `${home}/milestones/${id}/edit`, { title: 'N', description: '' });
    await submitForm(ben, `${home}/milestones/${id}/state`, { closed: '1' });
    expect(await page(cas, `${home}/milestones`)).to.not.include('>N<');
    expect(await page(cas, `${home}/milestones?state=closed&q=n`)).to.include('>N<');
    await submitForm(ben, `${home}/milestones/${id}/state`, { closed: '0' });
    await submitForm(ben, `${home}/milestones/${id}/delete`);
    await page(cas, `${home}/milestone/${id}`, 404);
    expect((await submitForm(cas, `${home}/milestones/new`, { title: 'x' })).statusCode).to.equal(403);
  });

  it('MIG-02 to MIG-10, VER-13: milestones are exported and imported in the exchange format, all or none', async () => {
    const { ada, ben, cas } = world;
    const exchange = `${api}/milestones.json`;
    const one = {
      title: 'First “light”',
      description: 'two\nlines',
      deadline: '2020-02-29T23:59:59Z',
      created: '2019-01-02T03:04:05Z',
      updated: '2019-02-03T04:05:06Z',
      closed: '2019-03-04T05:06:07Z',
      state: 'closed',
    };
    const open = { ...one, title: 'Later', deadline: '9999-12-31T23:59:59Z', closed: null, state: 'open' };
    // each of these spoils the whole file
    const { title: _title, ...untitled } = one;
    for (const wrong of [
      untitled,
      { ...one, more: 1 },
      { ...one, state: 'shut' },
      { ...one, deadline: null },
      { ...one, deadline: '2020-02-29' },
      { ...one, created: '2020-13-40T00:00:00Z' },
      { ...one, updated: '2021-02-29T00:00:00Z' },
      { ...one, closed: 'never' },
      { ...one, description: 7 },
      'text',
    ])
      expect((await send(ben, 'POST', exchange, [open, wrong])).status, JSON.stringify(wrong)).to.equal(422);
    expect((await send(ben, 'POST', exchange, one)).status, 'not a list').to.equal(422);
    // counted before any of them is looked at
    const tooMany = await send<{ message: string }>(ben, 'POST', exchange, Array(1001).fill(0));
    expect([tooMany.status, tooMany.body.message]).to.equal([
      422,
      'The file has too many milestones; at most 1,000 are allowed.',
    ]);
    expect((await send<unknown[]>(ada, 'GET', exchange)).body).to.equal([]);
    expect((await send(cas, 'POST', exchange, [one])).status).to.equal(403);

    const made = await send<{ title: string; state: string; due_on: string | null; closed_at: string | null }[]>(
      ben,
      'POST',
      exchange,
      [one, open],
    );
    expect(made.status).to.equal(201);
    expect(made.body.map((of) => [of.title, of.state, of.due_on, of.closed_at])).to.equal([
      [one.title, 'closed', one.deadline, one.closed],
      ['Later', 'open', null, null],
    ]);
    const exported = await send<object[]>(cas, 'GET', exchange);
    expect(exported.headers['content-type']).to.match(/^application\/json/);
    expect(exported.body).to.equal([one, open]);

    // from the page: what is there stays as it is, also of two files at once
    const file = (milestones: unknown) => ({
      name: 'file',
      value: typeof milestones === 'string' ? milestones : JSON.stringify(milestones),
      fileName: 'milestone.json',
    });
    const give = (milestones: unknown, by = ben) =>
      by.inject({ method: 'POST', url: `${home}/milestones/import`, ...multipart([file(milestones)]) });
    const third = { ...open, title: 'Third' };
    const answers = await Promise.all([give([{ ...one, description: 'x' }, third]), give([third, third])]);
    for (const answer of answers) expect(answer.statusCode).to.equal(303);
    expect((await send<object[]>(cas, 'GET', exchange)).body).to.equal([one, open, third]);
    const list = await page(ben, String(answers[0].headers.location).replace(/^https?:\/\/[^/]+/, ''));
    expect(list)
      .to.match(/milestone.* imported\./)
      .and.to.include([`${home}/milestones/export`, 'Import milestones']);
    const again = await give('{');
    expect([again.statusCode, again.payload.includes('The file is not JSON.')]).to.equal([422, true]);
    expect((await give([one], cas)).statusCode).to.equal(403);
    expect(await page(ben, `${home}/milestones/import`)).to.include('/-/schemas/milestone.json');
    const saved = await cas.inject(`${home}/milestones/export`);
    expect(saved.headers['content-disposition']).to.include('milestone.json');
    expect(JSON.parse(saved.payload)).to.equal([one, open, third]);

    const schema = (
      await send<{ $schema: string; items: { required: string[]; properties: object } }>(
        world.host,
        'GET',
        '/-/schemas/milestone.json',
      )
    ).body;
    expect(schema.$schema).to.equal('http://json-schema.org/draft-04/schema#');
    expect([...schema.items.required].sort()).to.equal(Object.keys(one).sort());
    expect(schema.items).to.include({ additionalProperties: false });

    // one that somebody creates meanwhile is none of those that were imported
    const { deps } = world.host.services.get(issueServices).exchange as unknown as {
      readonly deps: ConstructorParameters<typeof MilestoneExchange>[0];
    };
    const knex = (table: string) => ({
      async insert(rows: readonly object[]) {
        await deps.database
          .knex()(table)
          .insert({ ...rows[0], title: 'Between', lower_title: 'between' });
        await deps.database.knex()(table).insert(rows);
      },
    });
    const database = {
      write: <T>(work: () => Promise<T>) => deps.database.write(work),
      query: (model: typeof MilestoneRow) => deps.database.query(model),
      knex: () => knex,
    } as unknown as Database;
    const { id: desk } = (await send<{ id: number }>(ada, 'GET', api)).body;
    const fourth = { ...open, title: 'Fourth' } as ExchangedMilestone;
    const imported = await new MilestoneExchange({ ...deps, database }).import(desk, [fourth]);
    expect(imported.map(({ title }) => title)).to.equal(['Fourth']);
    for (const { id } of made.body as unknown as { id: number }[]) await send(ben, 'DELETE', `${api}/milestones/${id}`);
  });

  it('one has the lists of all repositories, and organizations have theirs and their labels', async () => {
    const { ada, cas, host } = world;
    await send(ada, 'POST', '/api/v1/orgs', { username: 'works' });
    await send(ada, 'POST', '/api/v1/orgs/works/repos', { name: 'hidden', private: true });
    await send(ada, 'POST', '/api/v1/repos/works/hidden/issues', { title: 'Unseen' });
    expect(await page(ada, '/issues?view=created')).to.include('Unseen');
    expect(await page(ada, '/issues'))
      .to.include('Nothing that is open is assigned to you.')
      .and.not.include('Unseen');
    for (const everybodys of ['/issues?poster=ada', '/issues?view=created&poster=ada'])
      expect(await page(ada, everybodys))
        .to.include('Unseen')
        .and.not.include('aria-current="page">Assigned');
    await send(ada, 'PATCH', '/api/v1/repos/works/hidden/issues/1', { assignees: ['ada'] });
    // the links of a view stay in it when people are named
    expect(await page(ada, '/issues?view=assigned&poster=ada')).to.include([
      'Unseen',
      'view=assigned&amp;state=closed',
    ]);
    await send(ada, 'PATCH', '/api/v1/repos/works/hidden/issues/1', { assignees: [] });
    expect(await page(ada, '/pulls?view=owned')).to.include('No results');
    expect(await page(ada, '/org/works/issues')).to.include('Unseen');
    expect(await page(cas, '/org/works/issues')).to.not.include('Unseen');
    await submitForm(ada, '/issues/filters', { name: 'Kept', query: 'view=owned&sort=oldest' });
    expect(await page(ada, '/issues')).to.include(['Kept', 'view=owned&amp;sort=oldest']);
    expect((await host.inject('/issues')).statusCode).to.be.within(302, 401);
    // saved before lists opened on what is assigned
    await submitForm(ada, '/issues/filters', { name: 'All', query: 'view=created' });
    await submitForm(ada, '/issues/filters', { name: 'Old', query: 'view=created&sort=oldest' });
    const queries = () => host.database.knex()('issue_filter').orderBy('id').pluck('query');
    await submitForm(ada, '/issues/filters', { name: 'Hers', query: 'poster=ada' });
    const after = ['view=owned&sort=oldest', 'view=created', 'view=created&sort=oldest', 'poster=ada'];
    expect(await queries()).to.equal(after);
    await redoMigration(
      host,
      new URL('../migrations/0008_name_views_of_saved_filters.js', import.meta.url),
      async () => {
        expect(await queries()).to.equal(['view=owned&sort=oldest', '', 'sort=oldest', 'poster=ada']);
      },
    );
    expect(await queries()).to.equal(after);
    const labels = '/org/works/settings/labels';
    await submitForm(ada, `${labels}/new`, { name: 'shared', color: '#fff' });
    expect(await page(ada, labels)).to.include('shared');
    expect(await page(ada, '/works/hidden/labels')).to.include(['shared', 'Labels of works']);
    expect((await cas.inject(labels)).statusCode).to.equal(403);
  });

  it('texts of forms and tasks', () => {
    const { body } = readForm(form, 'a.yaml')!;
    expect(() => renderAnswers(body!, () => [])).to.throw(/required/);
    const seen = '> 1. [x] a\n* [ ] b';
    const change = { at: 0, done: false, mark: taskListHash(seen), total: 2 };
    expect(toggleTask(seen, change)).to.equal('> 1. [ ] a\n* [ ] b');
    // who else ticks changes no text
    expect(toggleTask('> 1. [x] a\n* [x] b', change)).to.equal('> 1. [ ] a\n* [x] b');
    for (const [text, other] of [
      [seen, { at: 2 }],
      [seen, { total: 3 }],
      ['> 1. [x] a\n* [ ] c', {}],
      [`* [ ] first\n${seen}`, { total: 3 }],
    ] as const)
      expect(toggleTask(text, { ...change, ...other }), text).to.be.undefined();
  });
});
