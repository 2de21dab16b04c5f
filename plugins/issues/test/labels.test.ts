import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { scopeOf } from '../contract/labels.js';
import { issueServices } from '../services/services.js';
import { api, makeLabel, makeWorld, open, send, type Named, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('labels', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  const names = (labels: readonly Named[]) => labels.map(({ name }) => name).sort();
  const on = async (index: number) =>
    names((await send<Named[]>(world.ada, 'GET', `${api}/issues/${index}/labels`)).body);

  it('ISS-04: a scope ends at the last slash, and needs something on both sides', () => {
    expect(scopeOf('scope/alpha/name')).to.equal('scope/alpha');
    expect(scopeOf('plain')).to.equal('');
    expect(scopeOf('/first')).to.equal('');
    expect(scopeOf('last/')).to.equal('');
  });

  it('ISS-03, ISS-05: an exclusive label drives out the exclusive ones of its scope, and only those', async () => {
    const { ada } = world;
    const [fresh, done, loose, other] = [
      await makeLabel(ada, 'state/new', true),
      await makeLabel(ada, 'state/done', true),
      await makeLabel(ada, 'state/loose'),
      await makeLabel(ada, 'state/deep/one', true),
    ];
    const { number } = await open(ada, { labels: [fresh, loose, other] });
    const at = `${api}/issues/${number}/labels`;
    const added = await send<Named[]>(ada, 'POST', at, { labels: [done] });
    expect(names(added.body)).to.equal(['state/deep/one', 'state/done', 'state/loose']);
    const named = await send<Named[]>(ada, 'POST', at, { labels: ['state/new'] });
    expect(names(named.body)).to.equal(['state/deep/one', 'state/loose', 'state/new']);
  });

  it('ISS-06: of two of one scope in one request the last one stays', async () => {
    const { ada } = world;
    const [one, two] = [await makeLabel(ada, 'size/s', true), await makeLabel(ada, 'size/l', true)];
    expect(names((await open(ada, { labels: [one, two] })).labels)).to.equal(['size/l']);
    const { number } = await open(ada);
    const at = `${api}/issues/${number}/labels`;
    expect(names((await send<Named[]>(ada, 'PUT', at, { labels: [two, one] })).body)).to.equal(['size/s']);
    expect(names((await send<Named[]>(ada, 'POST', at, { labels: ['size/s', 'size/l'] })).body)).to.equal(['size/l']);
  });

  it('ISS-06: a label that becomes exclusive, or moves into a scope, drives the others out of its issues', async () => {
    const { ada } = world;
    const [low, high] = [await makeLabel(ada, 'rank/low', true), await makeLabel(ada, 'rank/high')];
    const elsewhere = await makeLabel(ada, 'elsewhere', true);
    const [both, moved, alone] = [
      (await open(ada, { labels: [low, high] })).number,
      (await open(ada, { labels: [low, elsewhere] })).number,
      (await open(ada, { labels: [low] })).number,
    ];
    expect((await send(ada, 'PATCH', `${api}/labels/${high}`, { color: '#000000' })).status).to.equal(200);
    expect(await on(both)).to.equal(['rank/high', 'rank/low']);
    expect((await send(ada, 'PATCH', `${api}/labels/${high}`, { exclusive: true })).status).to.equal(200);
    expect((await send(ada, 'PATCH', `${api}/labels/${elsewhere}`, { name: 'rank/else' })).status).to.equal(200);
    expect([await on(both), await on(moved), await on(alone)]).to.equal([['rank/high'], ['rank/else'], ['rank/low']]);
    const { body } = await send<{ label?: Named; body: string }[]>(ada, 'GET', `${api}/issues/${both}/timeline`);
    expect(body.at(-1)).to.include({ body: '' });
    expect(body.at(-1)?.label?.name).to.equal('rank/low');
  });

  it('lists them by name, in pages, from either end, and as they are now', async () => {
    const { ada } = world;
    const all = `${api}/labels?limit=50`;
    const { body } = await send<Named[]>(ada, 'GET', all);
    const sorted = body.map(({ name }) => name);
    expect(sorted).to.equal([...sorted].sort());
    const turned = await send<Named[]>(ada, 'GET', `${all}&sort=reversealphabetically`);
    expect(turned.body.map(({ name }) => name)).to.equal([...sorted].reverse());
    const second = await send<Named[]>(ada, 'GET', `${api}/labels?limit=2&page=2`);
    expect(second.body.map(({ name }) => name)).to.equal(sorted.slice(2, 4));
    expect(second.headers['x-total-count']).to.equal(String(sorted.length));
    await makeLabel(ada, 'zz/last');
    expect((await send<Named[]>(ada, 'GET', all)).body.at(-1)?.name).to.equal('zz/last');
  });

  it('two requests at once leave one label of a scope', async () => {
    const { ada, ben } = world;
    const labels = await Promise.all(['race/a', 'race/b', 'race/c'].map((name) => makeLabel(ada, name, true)));
    const { number } = await open(ada);
    const answers = await Promise.all(
      labels.map((id, at) => send(at % 2 ? ada : ben, 'POST', `${api}/issues/${number}/labels`, { labels: [id] })),
    );
    expect(answers.map(({ status }) => status)).to.equal([200, 200, 200]);
    expect(await on(number)).to.have.length(1);
  });

  it('one that is deleted while it is attached is not there', async () => {
    const { ada, ben, host } = world;
    const { number } = await open(ada);
    const id = await makeLabel(ada, 'fading');
    const { issues: service, labels, reader, deps } = host.services.get(issueServices);
    const [label, issue] = [await labels.of({ repositoryId: 1 }, String(id)), await reader.byIndex(1, number)];
    await labels.delete(label);
    const actor = deps.accounts.actorOf((await deps.accounts.byName('ben'))!, '');
    await expect(service.changeLabels(issue!, () => [label], actor)).to.reject(/label does not exist/);
    expect((await send<Named[]>(ben, 'GET', `${api}/issues/${number}/labels`)).body).to.equal([]);
  });

  it('unknown labels are passed over, and lists of both kinds refused', async () => {
    const { ada, cas } = world;
    const { number } = await open(cas);
    const at = `${api}/issues/${number}/labels`;
    expect((await send(ada, 'POST', at, { labels: [999999, 2 ** 40] })).status).to.equal(200);
    expect((await send(ada, 'POST', at, { labels: [1, 'two'] })).status).to.equal(400);
    expect((await send(ada, 'POST', at, { labels: [{}] })).status).to.equal(400);
    expect((await send(cas, 'POST', at, { labels: ['state/new'] })).status).to.equal(403);
    expect(await on(number)).to.equal([]);
  });

  it('the name of a label is one line', async () => {
    const { ada } = world;
    const name = 'two\nlines\u0000 ';
    const { body } = await send<Named>(ada, 'POST', `${api}/labels`, { name, color: '#00aabb' });
    expect(body.name).to.equal('two lines');
  });

  it('colours are six digits, and a bad one changes nothing', async () => {
    const { ada } = world;
    const label = (color: string) => send<{ color: string }>(ada, 'POST', `${api}/labels`, { name: 'colour', color });
    expect((await label('#A0F')).body.color).to.equal('aa00ff');
    for (const bad of ['reddish', '#12', '12345', '#1234567']) expect((await label(bad)).status).to.equal(422);
  });

  it('a deleted label leaves its issues', async () => {
    const { ada } = world;
    const id = await makeLabel(ada, 'short-lived');
    const { number } = await open(ada, { labels: [id] });
    expect((await send(ada, 'DELETE', `${api}/labels/${id}`)).status).to.equal(204);
    expect(await on(number)).to.equal([]);
  });

  it('lists by a label are in order, and follow what is opened, closed, labelled and unlabelled', async () => {
    const { ada } = world;
    const [wanted, other] = [await makeLabel(ada, 'listed'), await makeLabel(ada, 'unlisted')];
    const numbers: number[] = [];
    for (const labels of [[wanted], [wanted, other], [wanted], [other]])
      numbers.push((await open(ada, { labels })).number);
    const [first, second, third, fourth] = numbers as [number, number, number, number];
    const listed = async (query = '') => {
      const at = `${api}/issues?labels=listed${query}`;
      const answer = await send<{ number: number }[]>(ada, 'GET', at);
      const found = answer.body.map(({ number }) => number);
      expect(answer.headers['x-total-count']).to.equal(String(found.length));
      const page = await ada.inject({ url: `/ada/desk/issues?labels=${wanted}${query}` });
      const shown = [...page.payload.matchAll(/href="\/ada\/desk\/issues\/(\d+)"[^>]*>[^<]*<\/a>/g)];
      expect([...new Set(shown.map(([, number]) => Number(number)))]).to.equal(found);
      return found;
    };
    expect(await listed()).to.equal([third, second, first]);
    await send(ada, 'PATCH', `${api}/issues/${second}`, { state: 'closed' });
    expect(await listed()).to.equal([third, first]);
    expect(await listed('&state=closed')).to.equal([second]);
    expect(await listed('&state=all')).to.equal([third, second, first]);
    await send(ada, 'POST', `${api}/issues/${fourth}/labels`, { labels: [wanted] });
    await send(ada, 'DELETE', `${api}/issues/${third}/labels/${wanted}`);
    await send(ada, 'PATCH', `${api}/issues/${second}`, { state: 'open' });
    expect(await listed()).to.equal([fourth, second, first]);
  });
});
