import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { api, makeWorld, open, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the start date of an issue', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  const dateOf = async (number: number) =>
    (await send(world.ada, 'GET', `${api}/issues/${number}`)).body.start_date as string | null;
  const edit = async (number: number, changes: object, by = world.ben) =>
    (await send(by, 'PATCH', `${api}/issues/${number}`, changes)).status;

  it('is set, changed and removed over the API, as the day that was written', async () => {
    const { number } = await open(world.ada, { start_date: '2031-01-02T23:30:00-05:00' });
    expect(await dateOf(number)).to.equal('2031-01-02T00:00:00Z');
    expect(await edit(number, { start_date: '2031-02-03T10:00:00Z' })).to.equal(201);
    expect(await dateOf(number)).to.equal('2031-02-03T00:00:00Z');
    expect(await edit(number, { start_date: null, title: 'Another' })).to.equal(201);
    expect(await dateOf(number)).to.equal('2031-02-03T00:00:00Z');
    expect(await edit(number, { unset_start_date: true })).to.equal(201);
    expect(await dateOf(number)).to.be.null();
    const { body } = await send<{ type: string; body: string }[]>(world.ada, 'GET', `${api}/issues/${number}/timeline`);
    expect(body.filter(({ type }) => type === 'change_start_date').map((entry) => entry.body)).to.equal([
      '2031-02-03|2031-01-02',
      '|2031-02-03',
    ]);
    expect(await edit(number, { start_date: 'tomorrow' })).to.equal(422);
  });

  it('is for those who may write; of others it is passed over', async () => {
    const { number } = await open(world.cas, { start_date: '2031-01-02T00:00:00Z' });
    expect(await dateOf(number)).to.be.null();
    expect(await edit(number, { title: 'Mine', start_date: '2031-01-02T00:00:00Z' }, world.cas)).to.equal(201);
    expect(await dateOf(number)).to.be.null();
    const refused = await submitForm(world.cas, `/ada/desk/issues/${number}/start`, { start: '2031-01-02' });
    expect(refused.statusCode).to.equal(403);
  });

  it('is set beside the conversation, which tells of it', async () => {
    const { ben } = world;
    const { number } = await open(world.ada);
    const home = `/ada/desk/issues/${number}`;
    expect((await submitForm(ben, `${home}/start`, { start: '2031-03-04' })).statusCode).to.equal(303);
    expect((await ben.inject(home)).payload).to.include(['Start date', 'Mar 4, 2031', 'set the start date to']);
    expect((await submitForm(ben, `${home}/start`, { start: 'soon' })).statusCode).to.equal(422);
    await submitForm(ben, `${home}/start`, { start: '' });
    expect(await dateOf(number)).to.be.null();
    expect((await ben.inject(home)).payload).to.include('removed the start date');
  });

  it('is refused at its control, as due dates are, where it is no day of a calendar', async () => {
    const { number } = await open(world.ada);
    for (const day of ['+275760-09-13', '2031-02-30', '-000001-01-01', '2031-1-2'])
      for (const [path, field] of [
        [`issues/${number}/start`, 'start'],
        [`issues/${number}/due`, 'due'],
        ['milestones/new', 'due'],
      ] as const) {
        const { statusCode } = await submitForm(world.ben, `/ada/desk/${path}`, { title: 'One', [field]: day });
        expect(statusCode, `${path} ${day}`).to.equal(422);
      }
    expect(await dateOf(number)).to.be.null();
  });
});
