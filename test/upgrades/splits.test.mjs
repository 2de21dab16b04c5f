// A database of the time when `contents`, `repositories` and `releases` had not been split: each plugin that took over
// a part of them finds what it needs, and what waited in the database goes on.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, storage } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { startHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const fixture = (name) => new URL(`../fixtures/before-splits/${name}/`, import.meta.url);
/** A plugin as it was, as far as the database knows it. */
const old = (name, requires) =>
  definePlugin({
    name,
    version: '1.0.0',
    sdk: '^1.0.0',
    requires,
    register: (host) => host.migrations(fixture(name)),
  });
const plugins = [
  old('repositories', { accounts: '^1.0.0', git: '^1.0.0' }),
  old('contents', { repositories: '^1.0.0' }),
  old('releases', { repositories: '^1.0.0' }),
];

describe('a database from before the splits', { timeout: 300_000 }, () => {
  let host;
  const uuid = '12345678-1234-1234-1234-123456789abc';
  const now = Date.now();
  const next = now + 12_345;
  let ada;
  before(async () => {
    host = await startHost({ plugins });
    const knex = () => host.database.knex();
    const user = { name: 'ada', email: 'ada@example.com', password: 'long enough 1', isAdmin: true };
    ada = host.services.get(accounts).actorOf(await host.services.get(accounts).create(user), 'test');
    await host.database.write(async () => {
      await knex()('repository').insert({
        id: 7,
        owner_id: ada.id,
        owner_name: 'ada',
        lower_owner_name: 'ada',
        name: 'wheel',
        lower_name: 'wheel',
        default_branch: 'main',
        is_ready: true,
        topics: '[]',
        units: JSON.stringify([
          { key: 'code', enabled: true, config: {} },
          { key: 'releases', enabled: true, config: {} },
        ]),
        star_count: 1,
        watcher_count: 1,
        created_at: now,
        updated_at: now,
      });
      const mark = { repository_id: 7, user_id: ada.id, created_at: now };
      await knex()('star').insert(mark);
      await knex()('watch').insert(mark);
      await knex()('git_hook').insert({ repository_id: 7, name: 'pre-receive', content: 'exit 0\n' });
      await knex()('deleted_branch').insert({ repository_id: 7, name: 'side', oid: 'a'.repeat(40), deleted_at: now });
      const texts = {
        tag_name: 'v1',
        lower_tag_name: 'v1',
        target: 'main',
        title: 'One',
        lower_title: 'one',
        note: '',
      };
      await knex()('release').insert({
        id: 3,
        repository_id: 7,
        author_id: ada.id,
        ...texts,
        tag_message: '',
        state: 'draft',
        is_prerelease: false,
        created_at: now,
        published_at: 0,
        updated_at: now,
      });
      await knex()('release_asset').insert({
        id: 11,
        release_id: 3,
        repository_id: 7,
        uploader_id: ada.id,
        uuid,
        name: 'a.txt',
        size: 4,
        sha256: 'b'.repeat(64),
        external_url: '',
        download_count: 5,
        created_at: now,
      });
      const [event] = await knex()('event').insert({
        name: 'contents.branchRenamed',
        payload: JSON.stringify({ repositoryId: 7, from: 'main', to: 'trunk', actorId: ada.id }),
        emitted_at: now,
      });
      for (const subscriber of ['contents/move-head', 'contents/warm-home', 'repositories/git-hooks'])
        await knex()('event_subscriber').insert({ subscriber, lease_until: 0 });
      await knex()('schedule').insert({ name: 'contents/clean-archives', cron: '0 0 * * *', next_at: next });
      await knex()('event_delivery').insert({ subscriber: 'contents/move-head', event_id: event });
      await knex()('job').insert({
        name: 'releases.removeFiles',
        payload: JSON.stringify({ uuids: ['99999999-1234-1234-1234-123456789abc'] }),
        state: 'waiting',
        run_at: now,
        created_at: now,
      });
    });
    const area = host.services.get(storage).area('attachments');
    await area.put(`releases/12/${uuid}`, Buffer.from('text'));
    await area.put('releases/99/99999999-1234-1234-1234-123456789abc', Buffer.from('gone'));
    host = await host.restart({ plugins: ['releases', 'files', 'refs', 'stars', 'git-hooks', 'auth-basic'] });
  });
  after(() => host?.close());
  const rows = (table, where = {}) => host.database.knex()(table).where(where);

  it('keeps stars, watches, git hooks, deleted branches and files of releases', async () => {
    const get = async (path) => (await host.as(ada).inject(`/api/v1${path}`)).json;
    expect(await get('/repos/ada/wheel')).to.include({ stars_count: 1, watchers_count: 1 });
    expect((await get('/user/starred')).map((one) => one.name)).to.equal(['wheel']);
    expect((await get('/repos/ada/wheel/subscription')).subscribed).to.be.true();
    expect(await get('/repos/ada/wheel/hooks/git/pre-receive')).to.include({ content: 'exit 0\n' });
    expect((await rows('deleted_branch')).map((row) => row.name)).to.equal(['side']);
    expect(await get('/repos/ada/wheel/releases/3/assets')).to.have.length(1);
    expect(await get('/repos/ada/wheel/releases/3/assets/11')).to.include({ uuid, download_count: 5, size: 4 });
    expect((await host.as(ada).inject(`/attachments/${uuid}`)).payload).to.equal('text');
  });

  it('leaves no table, schedule, subscriber or migration of plugins that are no more', async () => {
    expect(await host.database.knex().schema.hasTable('release_asset')).to.be.false();
    expect(await rows('schedule', { name: 'contents/clean-archives' })).to.have.length(0);
    expect((await rows('schedule', { name: 'files/clean-archives' }).first()).next_at).to.equal(next);
    expect((await rows('event_subscriber')).filter((row) => row.subscriber.startsWith('contents/'))).to.equal([]);
    expect(await rows('migration', { owner: 'contents' })).to.have.length(0);
  });

  it('delivers events and runs jobs that waited under the old names', async () => {
    expect((await rows('event_delivery')).map((row) => row.subscriber)).to.equal(['refs/move-head']);
    await host.settle();
    expect(await rows('event_delivery')).to.have.length(0);
    expect((await rows('job', { name: 'attachments.removeContents' }).first()).state).to.equal('done');
    const keys = [];
    for await (const { key } of host.services.get(storage).area('attachments').list()) keys.push(key);
    expect(keys).to.equal([`releases/12/${uuid}`]);
  });

  it('numbers new rows behind the old ones', async () => {
    const made = await host.as(ada).inject({
      method: 'POST',
      url: '/api/v1/repos/ada/wheel/releases/3/assets?name=b.txt',
      payload: 'b',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(made.json.id).to.equal(12);
  });
});
