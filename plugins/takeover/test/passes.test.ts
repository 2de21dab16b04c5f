import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

describe('issue 28: passes of a takeover', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = (more: Record<string, boolean> = {}) => host.command('takeover', { from: source.folder, ...more });
  const lineOf = (lines: readonly string[], kind: string) => lines.find((line) => line.startsWith(`${kind}:`));
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'accounts'] });
    source = new SourceFixture();
    source.rows(
      'user',
      {
        id: 7,
        lower_name: 'ada',
        name: 'Ada',
        type: 0,
        email: 'ada@example.com',
        is_active: 1,
        created_unix: 1700000000,
      },
      {
        id: 9,
        lower_name: 'ben',
        name: 'ben',
        type: 0,
        email: 'ben@example.com',
        is_active: 1,
        created_unix: 1700000000,
      },
    );
    source.rows(
      'email_address',
      { id: 3, uid: 7, email: 'ada@example.com', lower_email: 'ada@example.com', is_activated: 1, is_primary: 1 },
      { id: 4, uid: 80, email: 'lost@example.com', lower_email: 'lost@example.com', is_activated: 1, is_primary: 1 },
    );
    source.rows('follow', { id: 1, user_id: 7, follow_id: 9, created_unix: 1700000000 });
    source.rows('discussion', { id: 1, title: 'a table of a private fork' });
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });
  const names = async () => (await host.database.knex()('user').select('id', 'name').orderBy('id')).map(Object.values);

  it('bring rows with their ids, and name what does not come and why', async () => {
    const lines = await take();
    expect(await names()).to.equal([
      [7, 'Ada'],
      [9, 'ben'],
    ]);
    expect(lineOf(lines, 'accounts.emails')).to.equal(
      'accounts.emails: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped',
    );
    expect(lines).to.include('  1 skipped: user_id refers to a row of accounts.users that was not taken over');
    expect(lines).to.include('table discussion: 1 rows are not taken over');
  });

  it('change nothing where the source has not changed', async () => {
    expect((await take()).join('\n')).to.not.match(/^table user: /m);
    const before = await host.database.knex()('takeover_row').select();
    const lines = await take();
    expect(lineOf(lines, 'accounts.users')).to.equal(
      'accounts.users: 2 read, 0 written, 2 unchanged, 0 removed, 0 skipped',
    );
    expect(lines.join('\n')).to.not.match(/^table user: /m);
    expect(await host.database.knex()('takeover_row').select()).to.equal(before);
  });

  it('bring what has changed since the last one, and remove what is gone', async () => {
    await take();
    source.run(`update "user" set name = 'Ada2', lower_name = 'ada2' where id = 7`);
    source.run(`delete from "user" where id = 9`);
    source.rows('user', { id: 12, lower_name: 'ben', name: 'ben', type: 0, created_unix: 1700000000 });
    const lines = await take();
    expect(await names()).to.equal([
      [7, 'Ada2'],
      [12, 'ben'],
    ]);
    expect(lineOf(lines, 'accounts.users')).to.equal(
      'accounts.users: 2 read, 2 written, 0 unchanged, 1 removed, 0 skipped',
    );
    expect(await host.database.knex()('user_follow').select()).to.equal([]);
  });

  it('keep what is here where an id or a name is taken, and bring the rest of the page', async () => {
    await host.database.write(async () =>
      host.database.knex()('user').insert({ id: 40, name: 'ADA', lower_name: 'ada', created_at: 1, updated_at: 1 }),
    );
    const lines = await take();
    expect(await names()).to.equal([
      [9, 'ben'],
      [40, 'ADA'],
    ]);
    expect(lines).to.include('  1 skipped: another row has the same id or name');
  });

  it('continue the ids of the source, also of rows that are gone from it', async () => {
    source.run('create table "counted" (id integer primary key autoincrement)');
    source.run("insert into sqlite_sequence (name, seq) values ('user', 900)");
    source.table('email_address', ['id', 'uid', 'email', 'lower_email']);
    await take();
    const { accounts } = await import('@mortise/accounts/api');
    const made = await host.services
      .get(accounts)
      .create({ name: 'cleo', email: 'cleo@example.com', password: 'long enough' });
    expect(made.id).to.equal(1901);
    // the other server goes on as well
    source.rows('user', { id: 901, lower_name: 'eve', name: 'eve', type: 0, is_active: 1 });
    await take();
    expect(await names()).to.include([[901, 'eve']]);
    const next = await host.services
      .get(accounts)
      .create({ name: 'dora', email: 'dora@example.com', password: 'long enough' });
    expect(next.id).to.equal(1902);
    // also of tables that are empty there as yet
    const emails = await host.database.knex()('email_address').where('user_id', next.id).pluck('id');
    expect(Number(emails[0])).to.be.above(1000);
  });

  it('do not continue from an id beyond measure, and say so', async () => {
    source.run('create table "counted" (id integer primary key autoincrement)');
    source.run("insert into sqlite_sequence (name, seq) values ('user', 9000000000000)");
    expect(await take()).to.include(
      'the last id of the table user is 9000000000000: ids of this site do not go on from it',
    );
    const { accounts } = await import('@mortise/accounts/api');
    const made = await host.services
      .get(accounts)
      .create({ name: 'cleo', email: 'cleo@example.com', password: 'long enough' });
    expect(made.id).to.equal(10);
  });

  it('name settings of users that have no counterpart', async () => {
    source.rows(
      'user_setting',
      { id: 1, user_id: 7, setting_key: 'diff.whitespace_behaviour', setting_value: 'show-all' },
      { id: 2, user_id: 9, setting_key: 'debian.key.private', setting_value: 'x' },
    );
    expect(await take()).to.include('  1 skipped: the setting diff.whitespace_behaviour has no counterpart');
  });

  it('write nothing in a dry run, which says the same', async () => {
    const lines = await take({ dryRun: true });
    expect(await names()).to.equal([]);
    expect(lineOf(lines, 'accounts.emails')).to.equal(
      'accounts.emails: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped',
    );
  });

  it('refuse a folder without an app.ini, and a database of another program', async () => {
    await expect(host.command('takeover', { from: host.workDir })).to.reject(/has no custom\/conf\/app\.ini/);
    source.run('drop table "repository"');
    await expect(take()).to.reject(/no tables of a server that can be taken over/);
  });

  it('sign in with the passwords of before, whose hashes give way to ours', async () => {
    // PBKDF2 with SHA-256 of "pass word" with 1000 iterations
    const { pbkdf2Sync, scryptSync } = await import('node:crypto');
    const salt = '00112233445566778899aabbccddeeff';
    const bytes = Buffer.from(salt, 'hex');
    const hashes = [
      ['pbkdf2$1000$50', pbkdf2Sync('pass word', bytes, 1000, 50, 'sha256').toString('hex')],
      ['scrypt$1024$8$2$50', scryptSync('pass word', bytes, 50, { N: 1024, r: 8, p: 2 }).toString('hex')],
    ] as const;
    hashes.forEach(([algorithm, hash], at) =>
      source.rows('user', {
        id: 100 + at,
        lower_name: `user${at}`,
        name: `user${at}`,
        type: 0,
        is_active: 1,
        passwd: hash,
        passwd_hash_algo: algorithm,
        salt,
        created_unix: 1700000000,
      }),
    );
    await take();
    const { accounts } = await import('@mortise/accounts/api');
    for (const at of hashes.keys()) {
      const check = (password: string) => host.services.get(accounts).checkPassword(`user${at}`, password);
      expect(await check('wrong')).to.be.undefined();
      expect((await check('pass word'))?.id).to.equal(100 + at);
      const row = await host.database
        .knex()('user')
        .where('id', 100 + at)
        .first('password_hash');
      expect(row.password_hash).to.match(/^\$argon2id\$/);
      expect((await check('pass word'))?.id).to.equal(100 + at);
    }
    expect((await take()).find((line) => line.startsWith('accounts.users:'))).to.contain('4 unchanged');
  });
});
