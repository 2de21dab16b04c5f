import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const user = (id: number, name: string, more: Readonly<Record<string, number | string>> = {}) => ({
  id,
  name,
  lower_name: name.toLowerCase(),
  type: 0,
  created_unix: 1700000000,
  ...more,
});

describe('issue 28: a takeover of a source that is not as it should be', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = (from = source.folder) => host.command('takeover', { from });
  const usersOf = async () =>
    (await host.database.knex()('user').select('id', 'lower_name').orderBy('id')).map(Object.values);
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'repositories'] });
    source = new SourceFixture();
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('reads no table by a key that it lacks, and removes nothing for it', async () => {
    source.rows('user', user(7, 'ada'), user(9, 'ben'));
    source.rows('follow', { id: 1, user_id: 7, follow_id: 9, created_unix: 1700000000 });
    await take();
    source.run('drop table "follow"');
    source.run('create table "follow" (user_id integer, follow_id integer)');
    source.run(
      'insert into "follow" with recursive n(i) as (select 1 union all select i + 1 from n where i < 600) select 7, i from n',
    );
    expect(await take()).to.include('  1 skipped: the table follow of the source has no column id');
    expect(await host.database.knex()('user_follow').select('user_id', 'followed_id')).to.equal([
      { user_id: 7, followed_id: 9 },
    ]);
  });

  it('passes over rows whose keys are texts, however many', async () => {
    source.rows('user', user(7, 'ada'));
    source.run('create table "email_address" (id, uid, email)');
    source.run(
      `insert into "email_address" with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
       select case when i > 2 then 'row ' || i else i end, 7, 'ada' || i || '@example.com' from n`,
    );
    const lines = await take();
    expect(lines.find((line) => line.startsWith('accounts.emails:'))).to.contain(' 2 written,');
    expect(lines.some((line) => / skipped: its key is not a whole number$/.test(line))).to.be.true();
  });

  it('skips accounts whose names no account may have, and makes the lower name itself', async () => {
    source.rows(
      'user',
      user(7, 'Ada', { lower_name: 'root' }),
      user(8, '../../etc'),
      user(9, 'api'),
      user(10, ''),
      user(-2, 'minus'),
    );
    const lines = await take();
    expect(await usersOf()).to.equal([[7, 'ada']]);
    expect(lines).to.include([
      '  3 skipped: its name is not one that accounts have here',
      '  1 skipped: ids of accounts are positive',
    ]);
  });

  it('follows no link and opens no folder for an avatar', async () => {
    const avatars = join(source.folder, 'data', 'avatars');
    mkdirSync(join(avatars, 'folder'), { recursive: true });
    symlinkSync(join(source.folder, 'custom', 'conf', 'app.ini'), join(avatars, 'link'));
    writeFileSync(join(avatars, 'good'), 'picture');
    source.rows(
      'user',
      user(7, 'ada', { use_custom_avatar: 1, avatar: 'link' }),
      user(8, 'ben', { use_custom_avatar: 1, avatar: 'folder' }),
      user(9, 'cas', { use_custom_avatar: 1, avatar: 'good' }),
      user(10, 'dot', { use_custom_avatar: 1, avatar: '../../custom/conf/app.ini' }),
    );
    const lines = await take();
    const rows = await host.database.knex()('user').select('avatar').orderBy('id');
    expect(rows.map(({ avatar }) => avatar !== '')).to.equal([false, false, true, false]);
    expect(lines).to.include(['the avatar of user 7 cannot be read', 'the avatar of user 8 cannot be read']);
  });

  it('keeps what is gone there where rows of this site name it, and says so', async () => {
    source.rows('user', user(7, 'ada'), user(9, 'ben'));
    await take();
    const names = { name: 'new', lower_name: 'new', owner_name: 'ada', lower_owner_name: 'ada' };
    const repository = { ...names, topics: '[]', units: '{}', default_branch: 'main', created_at: 1, updated_at: 1 };
    await host.database.write(async () =>
      host.database
        .knex()('repository')
        .insert({ ...repository, owner_id: 7 }),
    );
    source.run('delete from "user"');
    const lines = await take();
    expect(await usersOf()).to.equal([[7, 'ada']]);
    expect(lines).to.include('  1 skipped: deleted on the other server but kept: rows of this site refer to it');
  });

  it('brings names that went from one account to another in one pass', async () => {
    source.rows('user', user(7, 'ada'), user(9, 'ben'));
    await take();
    source.run(`update "user" set name = 'carl' where id = 9`);
    source.run(`update "user" set name = 'ben' where id = 7`);
    await take();
    expect(await usersOf()).to.equal([
      [7, 'ben'],
      [9, 'carl'],
    ]);
  });

  it('leaves out hashes of passwords whose check would take gigabytes', async () => {
    const hash = { passwd: '00'.repeat(50), salt: '00'.repeat(16) };
    source.rows(
      'user',
      user(7, 'ada', { ...hash, passwd_hash_algo: 'argon2$2$65536$8$50' }),
      user(8, 'ben', { ...hash, passwd_hash_algo: 'argon2$2$4294967295$8$50' }),
    );
    await take();
    const rows = await host.database.knex()('user').select('password_hash').orderBy('id');
    expect(rows.map((row) => row.password_hash !== '')).to.equal([true, false]);
  });

  it('refuses a folder that names itself, and a database that does not answer', async () => {
    const ini = join(source.folder, 'custom', 'conf', 'app.ini');
    writeFileSync(ini, '[server]\nAPP_DATA_PATH = %(APP_DATA_PATH)s/more\n');
    await expect(take()).to.reject(
      /app\.ini:2: \[server\] APP_DATA_PATH refers to %\(APP_DATA_PATH\)s, which refers back/,
    );
    writeFileSync(ini, '[database]\nDB_TYPE = mysql\nHOST = 127.0.0.1:1\n');
    await expect(take()).to.reject(/cannot be reached/);
  });

  it('reads a copy where it lies, though the folder that it was copied from is there', async () => {
    source.rows('user', user(7, 'ada'));
    const parent = realpathSync(mkdtempSync(join(tmpdir(), 'mortise-$&-')));
    const original = join(parent, 'original');
    mkdirSync(join(original, 'data'), { recursive: true });
    writeFileSync(
      join(source.folder, 'custom', 'conf', 'app.ini'),
      `WORK_PATH = ${original}\n[database]\nDB_TYPE = sqlite3\nPATH = %(WORK_PATH)s/data/gitea.db\n`,
    );
    await take();
    expect(await usersOf()).to.equal([[7, 'ada']]);
    rmSync(parent, { recursive: true });
  });
});
