import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 28: notices and badges of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  before(async () => {
    host = await startHost({ plugins: ['takeover', 'admin'] });
    source = new SourceFixture();
    const time = { created_unix: 1700000000, updated_unix: 1700000001 };
    source.rows('user', { id: 7, lower_name: 'ada', name: 'ada', type: 0, is_active: 1, ...time });
    source.rows(
      'notice',
      { id: 3, type: 1, description: 'a repository could not be deleted', created_unix: 1700000000 },
      { id: 4, type: 2, description: 'x'.repeat(5000), created_unix: 1700000000 },
    );
    source.rows('badge', { id: 5, slug: 'miller', description: 'Runs the mill', image_url: '' });
    source.rows('user_badge', { id: 1, badge_id: 5, user_id: 7 }, { id: 2, badge_id: 5, user_id: 8 });
  });
  after(async () => {
    source.close();
    await host.close();
  });

  it('come, but for badges of accounts that have not', async () => {
    const lines = await take();
    expect(lines).to.include('admin.user_badges: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped');
    const knex = host.database.knex();
    const notices = await knex('site_notice').orderBy('id').select('id', 'kind', 'text');
    expect(notices.map(({ id, kind, text }) => [id, kind, text.length])).to.equal([
      [3, 'repository', 33],
      [4, 'task', 4000],
    ]);
    expect(await knex('user_badge').select('user_id', 'badge_id')).to.equal([{ user_id: 7, badge_id: 5 }]);
    expect(await take()).to.include('admin.notices: 2 read, 0 written, 2 unchanged, 0 removed, 0 skipped');
  });
});
