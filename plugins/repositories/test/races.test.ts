import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestResponse } from '@mortise/plugin-sdk/testing';
import { send, sshKey, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('many at once', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene();
  });
  after(() => scene.host.close());

  /** Status → how often, of twelve requests sent together. */
  const tally = async (call: (index: number) => Promise<TestResponse>) => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => call(index)));
    const counts: Record<number, number> = {};
    for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1;
    return counts;
  };

  it('one wins where only one can, and nobody meets a fault', async () => {
    const { ada, ben } = scene;
    const path = '/repos/ada/one';
    const make = () => send(ada, 'POST', '/user/repos', { name: 'one', auto_init: true });
    expect(await tally(make)).to.equal({ 201: 1, 409: 11 });
    expect(await tally(() => send(ben, 'PUT', '/user/starred/ada/one'))).to.equal({ 204: 12 });
    expect(await tally(() => send(ben, 'PUT', `${path}/subscription`))).to.equal({ 200: 12 });
    expect(await tally((index) => send(ada, 'PUT', `${path}/topics/t${index % 3}`))).to.equal({ 204: 12 });
    expect((await send(ada, 'GET', path)).json).to.include({ stars_count: 1, topics: ['t0', 't1', 't2'] });
    const key = (index: number) => send(ada, 'POST', `${path}/keys`, { title: `k${index}`, key: sshKey(3) });
    expect(await tally(key)).to.equal({ 201: 1, 422: 11 });
    const invite = (index: number) =>
      send(ada, 'PUT', `${path}/collaborators/ben`, { permission: index % 2 ? 'read' : 'write' });
    expect(await tally(invite)).to.equal({ 204: 12 });
    const fork = (index: number) => send(ben, 'POST', `${path}/forks`, { name: `f${index}` });
    expect(await tally(fork)).to.equal({ 202: 1, 409: 11 });
    expect((await send(ada, 'GET', path)).json.forks_count).to.equal(1);
    expect(await tally(() => send(ada, 'POST', `${path}/transfer`, { new_owner: 'ben' }))).to.equal({
      201: 1,
      409: 11,
    });
  });

  it('gives one name to one repository', async () => {
    const { ada } = scene;
    for (let index = 0; index < 12; index++) await send(ada, 'POST', '/user/repos', { name: `r${index}` });
    const rename = (index: number) => send(ada, 'PATCH', `/repos/ada/r${index}`, { name: 'same' });
    expect(await tally(rename)).to.equal({ 200: 1, 422: 11 });
    expect(await tally(() => send(ada, 'DELETE', '/repos/ada/same'))).to.equal({ 204: 1, 404: 11 });
  });
});
