import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { database } from '@mortise/plugin-sdk';
import { multipart, type TestClient } from '@mortise/plugin-sdk/testing';
import { searchIndex } from '@mortise/search/api';
import { isOverdue } from '../services/due-date.js';
import { api, makeLabel, makeWorld, open, send, type Named, type IssueJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issues', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  const read = async (index: number) => (await send<IssueJson>(world.ada, 'GET', `${api}/issues/${index}`)).body;
  const counted = async () => (await send<{ open_issues_count: number }>(world.ada, 'GET', api)).body.open_issues_count;

  it('many opened at once have numbers of their own, and all are counted', async () => {
    const before = await counted();
    const made = await Promise.all(Array.from({ length: 8 }, (_, at) => open(at % 2 ? world.ada : world.cas)));
    expect(new Set(made.map(({ number }) => number)).size).to.equal(8);
    expect(await counted()).to.equal(before + 8);
  });

  it('answers are as they are at once, and as each may see them', async () => {
    const label = await makeLabel(world.ada, 'kept');
    const { number } = await open(world.ada, { labels: [label], body: 'first' });
    const at = `${api}/issues/${number}`;
    type Answer = IssueJson & { readonly user: { readonly email: string }; readonly assets: readonly unknown[] };
    const seen = async (by: Pick<TestClient, 'inject'>) => {
      for (const url of [at, at]) await send(by, 'GET', url);
      const one = (await send<Answer>(by, 'GET', at)).body;
      const list = (await send<Answer[]>(by, 'GET', `${api}/issues?labels=${one.labels[0]!.name}`)).body;
      expect(list).to.equal([one]);
      return one;
    };
    const [own, strange] = [await seen(world.ada), await seen(world.host)];
    expect(own.user.email).to.equal('ada@example.com');
    expect(strange.user.email).to.contain('noreply');
    expect({ ...own, user: strange.user }).to.equal(strange);
    await send(world.ada, 'PATCH', at, { title: 'second' });
    await send(world.ada, 'PATCH', `${api}/labels/${label}`, { name: 'renamed' });
    for (const by of [world.ada, world.host]) {
      const now = await seen(by);
      expect([now.title, now.labels[0]!.name]).to.equal(['second', 'renamed']);
      expect((await send<Named[]>(by, 'GET', `${api}/labels`)).body.map(({ name }) => name)).to.contain('renamed');
    }
    const bodies = async () =>
      (await send<{ body: string }[]>(world.host, 'GET', `${at}/comments`)).body.map(({ body }) => body);
    expect(await bodies()).to.equal([]);
    const comment = (await send<Named>(world.ben, 'POST', `${at}/comments`, { body: 'so' })).body.id;
    expect(await bodies()).to.equal(['so']);
    await send(world.ben, 'PATCH', `${api}/issues/comments/${comment}`, { body: 'so it is' });
    expect(await bodies()).to.equal(['so it is']);
    // with files, whose downloads are counted outside the database for a moment
    const file = multipart([{ name: 'attachment', value: 'a\n', fileName: 'a.txt' }]);
    for (const url of [at, `${api}/issues/comments/${comment}`])
      expect((await world.ben.inject({ method: 'POST', url: `${url}/assets`, ...file })).statusCode, url).to.equal(201);
    for (const by of [world.ada, world.host]) {
      expect((await seen(by)).assets).to.have.length(1);
      const [first] = (await send<Answer[]>(by, 'GET', `${at}/comments`)).body;
      expect(first!.assets).to.have.length(1);
    }
    await send(world.ada, 'PATCH', api, { private: true });
    for (const url of [at, `${at}/comments`, `${api}/labels`, `${api}/issues`])
      expect((await send(world.host, 'GET', url)).status, url).to.equal(404);
    await send(world.ada, 'PATCH', api, { private: false });
  });

  it('ISS-11: those who may write, and the poster, attach files to an issue; others may not', async () => {
    const { number } = await open(world.cas);
    const [other, url] = [await open(world.ada), `${api}/issues/${number}/assets`];
    const attach = async (by: Pick<TestClient, 'inject'>, to = url, fileName = 'a.txt') => {
      const file = multipart([{ name: 'attachment', value: 'a\n', fileName }]);
      const answer = await by.inject({ method: 'POST', url: `${to}?name=notes.txt`, ...file });
      return [answer.statusCode, answer.statusCode === 201 ? (answer.json as Named).name : ''];
    };
    for (const by of [world.ada, world.ben, world.cas]) expect(await attach(by)).to.equal([201, 'notes.txt']);
    expect(await attach(world.cas, `${api}/issues/${other.number}/assets`)).to.equal([403, '']);
    expect(await attach(world.host)).to.equal([401, '']);
    const listed = (await send<Named[]>(world.host, 'GET', url)).body;
    expect(listed.map(({ name }) => name)).to.equal(['notes.txt', 'notes.txt', 'notes.txt']);
  });

  it('the number of a deleted issue is not given again', async () => {
    const { number } = await open(world.ada);
    expect((await send(world.ben, 'DELETE', `${api}/issues/${number}`)).status).to.equal(403);
    expect((await send(world.ada, 'DELETE', `${api}/issues/${number}`)).status).to.equal(204);
    expect((await send(world.ada, 'GET', `${api}/issues/${number}`)).status).to.equal(404);
    expect((await open(world.ada)).number).to.equal(number + 1);
  });

  it('who may only read opens an issue, and classifies nothing', async () => {
    const label = await makeLabel(world.ada, 'kept away');
    const milestone = (await send<{ id: number }>(world.ada, 'POST', `${api}/milestones`, { title: 'spring' })).body.id;
    const sorted = { labels: [label], milestone, assignees: ['ada'], due_date: '2031-05-01T12:00:00Z' };
    const issue = await open(world.cas, sorted);
    expect([issue.labels, issue.milestone, issue.assignees]).to.equal([[], null, null]);
    const at = `${api}/issues/${issue.number}`;
    const edited = await send<IssueJson>(world.cas, 'PATCH', at, { title: 'Mine', milestone, assignees: ['cas'] });
    expect([edited.status, edited.body.title, edited.body.milestone]).to.equal([201, 'Mine', null]);
    const strange = await open(world.ada);
    expect((await send(world.cas, 'PATCH', `${api}/issues/${strange.number}`, { title: 'x' })).status).to.equal(403);
  });

  it('U10: a date with an offset stays on its day, by every operation that takes one', async () => {
    for (const [sent, day] of [
      ['2031-05-01T00:00:00+02:00', '2031-05-01'],
      ['2031-05-01T23:30:00-08:00', '2031-05-01'],
      ['2031-05-01T12:00:00+14:00', '2031-05-01'],
      ['2031-05-01T00:00:00Z', '2031-05-01'],
    ] as const) {
      const issue = await open(world.ada, { due_date: sent });
      expect(issue.due_date?.slice(0, 10), `POST ${sent}`).to.equal(day);
      const at = `${api}/issues/${issue.number}`;
      for (const [method, path] of [
        ['PATCH', at],
        ['POST', `${at}/deadline`],
      ] as const) {
        const edited = await send<{ due_date: string }>(world.ada, method, path, { due_date: sent });
        expect([edited.status, edited.body.due_date], `${method} ${sent}`).to.equal([201, `${day}T23:59:59Z`]);
      }
      const body = { title: `by ${sent}`, due_on: sent };
      const made = await send<{ id: number; due_on: string }>(world.ada, 'POST', `${api}/milestones`, body);
      expect(made.body.due_on.slice(0, 10)).to.equal(day);
      const edited = await send<{ due_on: string }>(world.ada, 'PATCH', `${api}/milestones/${made.body.id}`, body);
      expect(edited.body.due_on).to.equal(`${day}T23:59:59Z`);
    }
    const exact = await open(world.ada, { due_date: '2031-05-01T12:00:00+02:00' });
    expect(exact.due_date, 'a moment of that day in UTC is kept').to.equal('2031-05-01T10:00:00Z');
  });

  it('U18: what is due today is not overdue, and what was due yesterday is', () => {
    const today = new Date(new Date().toISOString().slice(0, 10)).getTime();
    expect(isOverdue({ isClosed: false, dueAt: today })).to.be.false();
    expect(isOverdue({ isClosed: false, dueAt: today - 1000 })).to.be.true();
    expect(isOverdue({ isClosed: true, dueAt: today - 1000 })).to.be.false();
    expect(isOverdue({ isClosed: false, dueAt: 0 })).to.be.false();
  });

  it('a milestone counts what joins, closes, moves and goes', async () => {
    const make = async (title: string) =>
      (await send<{ id: number }>(world.ada, 'POST', `${api}/milestones`, { title })).body.id;
    const [may, june] = [await make('may'), await make('june')];
    const counts = async (id: number) => {
      const { body } = await send<{ open_issues: number; closed_issues: number }>(
        world.ada,
        'GET',
        `${api}/milestones/${id}`,
      );
      return [body.open_issues, body.closed_issues];
    };
    const one = await open(world.ada, { milestone: may });
    await open(world.ada, { milestone: may, closed: true });
    expect(await counts(may)).to.equal([1, 1]);
    const edit = (change: object) => send(world.ada, 'PATCH', `${api}/issues/${one.number}`, change);
    await edit({ state: 'closed' });
    expect(await counts(may)).to.equal([0, 2]);
    await edit({ milestone: june, state: 'open' });
    expect([await counts(may), await counts(june)]).to.equal([
      [0, 1],
      [1, 0],
    ]);
    await send(world.ada, 'DELETE', `${api}/issues/${one.number}`);
    expect(await counts(june)).to.equal([0, 0]);
  });

  it('of two edits of one text the one made from an older version is refused, and loses nothing', async () => {
    const { number } = await open(world.ada, { body: 'first' });
    const at = `${api}/issues/${number}`;
    const edit = (body: string) => send(world.ada, 'PATCH', at, { body, content_version: 0 });
    const answers = await Promise.all([edit('second'), edit('third')]);
    expect(answers.map(({ status }) => status).sort()).to.equal([201, 409]);
    const { body, content_version: version } = await read(number);
    expect(version).to.equal(1);
    expect(body).to.equal(answers[0]!.status === 201 ? 'second' : 'third');
  });

  it('bad input is refused before anything is stored', async () => {
    const before = await counted();
    const attempts: readonly (readonly [object, number])[] = [
      [{ title: '   ' }, 422],
      [{ title: '\u0000\u001b' }, 422],
      [{ title: 'x'.repeat(256) }, 422],
      [{ title: 'x', assignees: ['nobody-here'] }, 422],
      [{ title: 'x', due_date: 'soon' }, 422],
      [{ title: 'x', due_date: '2030-02-30T00:00:00Z' }, 422],
      [{ title: 'x', labels: ['a'] }, 422],
    ];
    for (const [payload, status] of attempts)
      expect((await send(world.ada, 'POST', `${api}/issues`, payload)).status).to.equal(status);
    expect(await counted()).to.equal(before);
    for (const index of ['first', '0', '-1', '99999999999', '1e3'])
      expect((await send(world.ada, 'GET', `${api}/issues/${index}`)).status, index).to.equal(404);
  });

  it('a word is looked for in titles, texts and comments, as they are now', async () => {
    const { ada } = world;
    const one = await open(ada, { title: 'Wobbly hinge', body: 'It squeaks; 合页会响' });
    const two = await open(ada, { title: 'Paint' });
    const said = await send<{ id: number }>(ada, 'POST', `${api}/issues/${two.number}/comments`, {
      body: 'so does thine',
    });
    const found = async (text: string) => {
      const { body, headers } = await send<IssueJson[]>(
        ada,
        'GET',
        `${api}/issues?state=all&q=${encodeURIComponent(text)}`,
      );
      expect(headers['x-total-count']).to.equal(String(body.length));
      return body.map(({ number }) => number);
    };
    for (const [text, numbers] of [
      ['WOBBLY squeak', [one.number]],
      ['页会', [one.number]],
      ['thine', [two.number]],
      [`#${two.number}`, [two.number]],
      ['zeppelins', []],
      ['"', []],
    ] as const)
      expect(await found(text), text).to.equal([...numbers]);
    await send(ada, 'PATCH', `${api}/issues/${one.number}`, { title: 'Firm hinge' });
    await send(ada, 'PATCH', `${api}/issues/comments/${said.body.id}`, { body: 'and yours' });
    expect([await found('wobbly'), await found('firm'), await found('thine'), await found('yours')]).to.equal([
      [],
      [one.number],
      [],
      [two.number],
    ]);
    await send(ada, 'DELETE', `${api}/issues/comments/${said.body.id}`);
    await send(ada, 'DELETE', `${api}/issues/${one.number}`);
    expect([await found('yours'), await found('firm')]).to.equal([[], []]);
  });

  it('the list and the record hide the same', async () => {
    const { ada, cas } = world;
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'vault', private: true });
    await send(ada, 'POST', '/api/v1/repos/ada/vault/issues', { title: 'Hidden away' });
    const found = async (by: Pick<typeof ada, 'inject'>, query = '') =>
      (await send<IssueJson[]>(by, 'GET', `/api/v1/repos/issues/search?q=hidden+away${query}`)).body.length;
    expect([await found(ada), await found(cas), await found(world.host)]).to.equal([1, 0, 0]);
    // what nobody is assigned to is not what somebody who is not signed in is assigned to
    const { body: assigned } = await send<IssueJson[]>(
      world.host,
      'GET',
      '/api/v1/repos/issues/search?assigned=true&state=all',
    );
    expect(assigned).to.equal([]);
    expect((await send(cas, 'GET', '/api/v1/repos/ada/vault/issues/1')).status).to.equal(404);
    // more texts than a search looks at, all newer than the one that others may read
    const { id } = await open(ada, { title: 'Seen, and nothing hidden away' });
    const vault = (await send<Named>(ada, 'GET', '/api/v1/repos/ada/vault')).body.id;
    const hidden = (await send<Named>(ada, 'GET', '/api/v1/repos/ada/vault/issues/1')).body.id;
    const data = world.host.services.get(database);
    const texts = Array.from({ length: 1001 }, (_, at) => ({
      ...{ kind: 'test', id: at + 1, repositoryId: vault, subjectType: 'issue', subjectId: hidden },
      body: 'hidden away',
    }));
    await data.write(() => world.host.services.get(searchIndex).put(texts));
    for (const by of [cas, world.host]) {
      const { body, headers } = await send<Named[]>(by, 'GET', '/api/v1/repos/issues/search?q=hidden+away');
      expect([body.map((one) => one.id), headers['x-total-count']]).to.equal([[id], '1']);
    }
    await send(ada, 'PATCH', '/api/v1/repos/ada/vault', { has_issues: false });
    // what search knew of is hidden from its owner too, and what was found before is not kept
    expect(await found(ada)).to.equal(1);
    expect((await send(ada, 'GET', '/api/v1/repos/ada/vault/issues/1')).status).to.equal(404);
  });
});
