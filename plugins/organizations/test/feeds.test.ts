import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { send } from '@mortise/repositories/testing';
import { makeOrganization, makeTeam, startPages, type PageScene } from './page-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('feeds of teams', () => {
  let scene: PageScene;

  before(async () => {
    scene = await startPages(['activity']);
    await makeOrganization(scene, 'works');
    for (const name of ['engine', 'gear']) await send(scene.ada, 'POST', '/orgs/works/repos', { name });
    await scene.host.settle();
  });
  after(() => scene.host.close());

  it('FED-03: an organization has a feed of what happened in its repositories, as far as one may see them', async () => {
    await send(scene.ada, 'POST', '/orgs/works/repos', { name: 'vault', private: true });
    await scene.host.settle();
    const names = async (by: typeof scene.ada) => {
      const { statusCode, json } = await send(by, 'GET', '/orgs/works/activities/feeds');
      expect(statusCode).to.equal(200);
      return [...new Set((json as { repo: { name: string } }[]).map(({ repo }) => repo.name))].sort();
    };
    expect(await names(scene.ada)).to.equal(['engine', 'gear', 'vault']);
    expect(await names(scene.cat)).to.equal(['engine', 'gear']);
    await send(scene.ada, 'DELETE', '/repos/works/vault');
  });

  it('FED-01: tell of the repositories of the team alone', async () => {
    const drivers = await makeTeam(scene, 'works', 'drivers');
    const everything = await makeTeam(scene, 'works', 'everything', [], { includes_all_repositories: true });
    const told = async (id: number) =>
      ((await send(scene.ada, 'GET', `/teams/${id}/activities/feeds`)).json as { repo: { name: string } }[])
        .map(({ repo }) => repo.name)
        .sort();
    expect(await told(drivers)).to.equal([]);
    await send(scene.ada, 'PUT', `/teams/${drivers}/repos/works/engine`);
    expect(await told(drivers)).to.equal(['engine']);
    expect(await told(everything)).to.equal(['engine', 'gear']);
  });

  it('C8: of public teams are open to everybody who is signed in, of others to those who may know them', async () => {
    const { ada, cat } = scene;
    const all = { includes_all_repositories: true };
    const open = await makeTeam(scene, 'works', 'open', [], { ...all, visibility: 'public' });
    const hidden = await makeTeam(scene, 'works', 'hidden', [], { ...all, visibility: 'private' });
    await send(ada, 'POST', '/orgs/works/repos', { name: 'safe', private: true });
    await scene.host.settle();
    const feed = (by: typeof ada, id: number) => send(by, 'GET', `/teams/${id}/activities/feeds`);
    const names = ({ json }: Awaited<ReturnType<typeof feed>>) =>
      (json as { repo: { name: string } }[]).map(({ repo }) => repo.name).sort();
    expect(names(await feed(cat, open))).to.equal(['engine', 'gear']);
    expect(names(await feed(ada, open))).to.equal(['engine', 'gear', 'safe']);
    expect((await feed(cat, hidden)).statusCode).to.equal(404);
    expect((await scene.host.inject(`/api/v1/teams/${open}/activities/feeds`)).statusCode).to.equal(401);
  });
});
