import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { scheduledTasks } from '@mortise/plugin-sdk';
import { gitStore } from '@mortise/git/api';
import { repositories } from '../api.js';
import { send, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('notices of damaged repositories', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene({ plugins: ['refs', 'files', 'admin'] });
  });
  after(() => scene.host.close());

  it('name the repository once for administrators, with what git says', async () => {
    const { host } = scene;
    const check = async () => {
      // again, although it is not due
      await host.database.write(async () => host.database.knex()('git_check').update({ checked_at: 1 }));
      await host.services.get(scheduledTasks).run('repo_health_check');
      await host.settle();
    };
    await send(scene.ada, 'POST', '/user/repos', { name: 'mill', auto_init: true });
    const { id } = (await host.services.get(repositories).byPath('ada', 'mill'))!;
    const objects = join(host.services.get(gitStore).path(id), 'objects');
    for (const name of readdirSync(objects))
      if (name.length === 2 || name === 'pack') rmSync(join(objects, name), { recursive: true });
    await check();
    await check();
    const notices = await host.database.knex()('site_notice').select('kind', 'text');
    expect(notices).to.have.length(1);
    expect(notices[0].kind).to.equal('repository');
    expect(notices[0].text).to.match(/^The repository ada\/mill is damaged: take it from a back-up\n/);
    expect(notices[0].text).to.not.contain(host.workDir);
  });
});
