import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database as databaseRef } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitReader, gitStore } from '@mortise/git/api';
import { SourceFixture } from './source.js';
import { SourceRepositories } from './source-git.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };

describe('issue 28: a pass that ends in the middle', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'repositories', 'refs', 'files', 'admin'] });
    source = new SourceFixture();
    const user = { id: 7, lower_name: 'ada', name: 'ada', type: 0, email: 'a@example.com', is_active: 1, ...time };
    source.rows('user', user);
    const repository = { owner_id: 7, owner_name: 'ada', default_branch: 'trunk', ...time };
    source.rows('repository', { id: 1, lower_name: 'mill', name: 'mill', ...repository });
    new SourceRepositories(source).make('ada/mill');
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('leaves no folder to a repository that is made here before the next one', async () => {
    const database = host.services.get(databaseRef);
    const { write } = database;
    database.write = async (work, options) => {
      if (await host.services.get(gitStore).exists(1)) throw new Error('killed');
      return write.call(database, work, options) as ReturnType<typeof work>;
    };
    await expect(take()).to.reject('killed');
    database.write = write;
    expect(await host.services.get(gitStore).exists(1)).to.be.true();
    expect(await host.database.knex()('repository').pluck('id')).to.equal([]);
    const made = await host
      .as({ id: 7, name: 'ada' })
      .inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'own' } });
    expect(made.statusCode).to.equal(201);
    expect(await host.services.get(gitReader).open(made.json.id).branches()).to.equal([]);
    await take();
    const names = await host.database.knex()('repository').orderBy('id').select('id', 'name');
    expect(names.map(Object.values)).to.equal([
      [1, 'mill'],
      [made.json.id, 'own'],
    ]);
    expect(await host.services.get(gitReader).open(1).branches()).to.have.length(1);
  });

  it('or at its end tells administrators what is damaged or missing there', async () => {
    source.rows('repository', {
      ...{ id: 2, lower_name: 'lost', name: 'lost', owner_id: 7, owner_name: 'ada', default_branch: 'trunk', ...time },
    });
    await take();
    const notices = await host.database.knex()('site_notice').select('kind', 'text');
    expect(notices).to.have.length(1);
    expect(notices[0].kind).to.equal('takeover');
    expect(notices[0].text).to.match(/^The takeover of .*app\.ini found what is damaged or missing there\n/);
    expect(notices[0].text).to.contain('repository ada/lost has no folder');
    expect((await host.command('takeover', { from: source.folder, dryRun: true })).length).to.be.above(1);
    expect(await host.database.knex()('site_notice').pluck('id')).to.have.length(1);
  });
});
