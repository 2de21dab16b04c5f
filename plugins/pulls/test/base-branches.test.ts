import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { checkedSince } from '../jobs/check.js';
import { api, makeWorld, merge, propose, send, shown, write, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pull requests whose base branch goes or takes their commits', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ plugins: ['branch-protection', 'commit-status', 'forks'] });
  });
  after(() => world.host.close());

  it('C5: moves what lost its base to the default branch', async () => {
    await write(world.ada, { into: 'short-lived' });
    const made = await propose(world.ben, 'homeless', { base: 'short-lived' });
    expect((await send(world.ada, 'DELETE', `${api}/branches/short-lived`)).status).to.equal(204);
    await world.host.settle();
    const moved = await shown(world, made.number);
    expect([moved.base.ref, moved.state, moved.changed_files]).to.equal(['main', 'open', 2]);
    const entries = await send<{ type: string; new_ref: string }[]>(
      world.ada,
      'GET',
      `${api}/issues/${made.number}/timeline`,
    );
    expect(entries.body.filter(({ type }) => type === 'change_target_branch').map((one) => one.new_ref)).to.equal([
      'main',
    ]);
    expect((await merge(world.ada, made.number)).status).to.equal(200);
  });

  it('U18: says that the base branch is gone, and leads nowhere', async () => {
    await write(world.ada, { into: 'passing' });
    const made = await propose(world.ben, 'late', { base: 'passing' });
    const page = async () => (await world.ada.inject(`/ada/loom/pulls/${made.number}`)).payload;
    expect(await page())
      .to.include('src/branch/passing')
      .and.to.not.include('was deleted');
    expect((await send(world.ada, 'PATCH', `${api}/pulls/${made.number}`, { state: 'closed' })).status).to.equal(201);
    expect((await send(world.ada, 'DELETE', `${api}/branches/passing`)).status).to.equal(204);
    await world.host.settle();
    expect(await page())
      .to.include('The base branch passing was deleted.')
      .and.to.not.include('src/branch/passing');
  });

  for (const isDetected of [false, true])
    it(`C5: is ${isDetected ? 'merged' : 'empty'} once another with all of its commits was merged${isDetected ? ' and that is detected' : ''}`, async () => {
      const fields = { has_pull_requests: true, allow_manual_merge: isDetected, autodetect_manual_merge: isDetected };
      expect((await send(world.ada, 'PATCH', api, fields)).status).to.equal(200);
      const [low, high] = [`low-${String(isDetected)}`, `high-${String(isDetected)}`];
      const part = await propose(world.ben, low);
      await write(world.ben, { branch: low, into: high });
      const whole = await send<{ number: number }>(world.ben, 'POST', `${api}/pulls`, {
        head: high,
        base: 'main',
        title: high,
      });
      expect((await merge(world.ada, whole.body.number)).status).to.equal(200);
      await world.host.settle();
      const left = await shown(world, part.number);
      expect(left.merged).to.equal(isDetected);
      const list = async (what: string) =>
        (await send<unknown[]>(world.ada, 'GET', `${api}/pulls/${part.number}/${what}`)).body.length;
      const counts = [left.changed_files, await list('commits'), await list('files')];
      expect(counts).to.equal(isDetected ? [1, 1, 1] : [0, 0, 0]);
      if (!isDetected) expect((await merge(world.ada, part.number)).status).to.equal(405);
      await send(world.ada, 'PATCH', api, { has_pull_requests: true, autodetect_manual_merge: false });
    });
});

describe('looking for conflicts', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ settings: { 'repository.pull-request': { DELAY_CHECK_FOR_INACTIVE_DAYS: 0 } } });
  });
  after(() => world.host.close());

  it('PUL-02, PUL-03, LIM-01: is put off until somebody looks', async () => {
    const made = await propose(world.ben, 'quiet');
    expect(made.mergeable).to.be.true();
    await write(world.ada, {});
    await world.host.settle();
    await world.host.jobs.runDue();
    expect((await shown(world, made.number)).mergeable).to.be.false();
    await world.host.jobs.runDue();
    expect((await shown(world, made.number)).mergeable).to.be.true();
  });

  it('LIM-01: 0 puts all off, and -1 none', () => {
    const now = Date.now();
    expect(checkedSince(0, now)).to.equal(now);
    expect(checkedSince(-1, now)).to.equal(0);
  });
});
