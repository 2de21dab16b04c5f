import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { send, startScene, type Scene } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the address of a repository whose code one may not read', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene({ plugins: ['refs', 'files', 'issues', 'releases', 'organizations'] });
    await send(scene.ada, 'POST', '/orgs', { username: 'works' });
    await send(scene.ada, 'POST', '/orgs/works/repos', { name: 'mill', private: true, auto_init: true });
  });
  after(() => scene.host.close());

  const join = async (name: string, units: readonly string[]) => {
    const fields = { name, units_map: Object.fromEntries(units.map((unit) => [unit, 'read'])) };
    const { id } = (await send(scene.ada, 'POST', '/orgs/works/teams', fields)).json;
    expect((await send(scene.ada, 'PUT', `/teams/${id}/members/ben`)).statusCode).to.equal(204);
    expect((await send(scene.ada, 'PUT', `/teams/${id}/repos/works/mill`)).statusCode).to.equal(204);
    return id as number;
  };
  const leads = async (by: { inject: Scene['ben']['inject'] }, path = '/works/mill') => {
    const { statusCode, headers } = await by.inject({ url: path, headers: { accept: 'text/html' } });
    return [statusCode, headers.location];
  };

  it('U18: leads to the first unit that one may read', async () => {
    expect((await leads(scene.ben))[0]).to.equal(404);
    const team = await join('writers', ['repo.releases']);
    expect(await leads(scene.ben)).to.equal([303, '/works/mill/releases']);
    expect((await leads(scene.ben, '/works/mill/releases'))[0]).to.equal(200);
    expect((await leads(scene.ben, '/works/mill/src/branch/main'))[0]).to.equal(403);
    await join('askers', ['repo.issues']);
    expect(await leads(scene.ben)).to.equal([303, '/works/mill/issues']);
    expect((await leads(scene.ada))[0]).to.equal(200);
    await send(scene.ada, 'DELETE', `/teams/${team}`);
  });

  it('U18: tells strangers no more than before', async () => {
    const anonymous = { inject: scene.host.inject };
    expect([303, 401, 404]).to.include((await leads(anonymous))[0] as number);
    expect(String((await leads(anonymous))[1] ?? '')).to.not.include('/works/mill/');
    expect((await leads(scene.ben, '/works/none'))[0]).to.equal(404);
  });
});
