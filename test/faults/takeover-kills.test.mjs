// Database: SQLite and MariaDB. What is shown is that a takeover that is killed is begun again without halves or doubles.
// `mortise takeover` is killed (SIGKILL to its whole group) at random moments, each time on the same site; at the end one
// more pass runs to its end. The site then has the rows and repositories of one that was taken over without disturbance.
// Time: about 60 s
//
//   MORTISE_TEST_FULL=1   30 kills instead of 2
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { SourceFixture } from '../../plugins/takeover/dist/test/source.js';
import { root, startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const kills = process.env.MORTISE_TEST_FULL ? 30 : 2;
const users = 1200;
const repositories = 25;
/** A seeded generator, so that a failing run can be repeated with the same kill moments. */
const seed = Number(process.env.MORTISE_FAULT_SEED ?? Date.now() % 100_000);
let state = seed;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const { knex: knexOf } = createRequire(new URL('../../core/package.json', import.meta.url))('knex');

function fill(source) {
  const at = { created_unix: 1700000000, updated_unix: 1700000000 };
  const list = (count, row) => Array.from({ length: count }, (_, n) => row(n + 2));
  const picture = (id) => ({ use_custom_avatar: 1, avatar: `picture${id}` });
  source.run('begin');
  source.rows(
    'user',
    ...list(users, (id) => ({
      id,
      name: `U${id}`,
      lower_name: `u${id}`,
      full_name: '',
      type: 0,
      is_active: 1,
      ...picture(id),
      ...at,
    })),
  );
  source.rows(
    'email_address',
    ...list(users, (id) => ({ id, uid: id, email: `u${id}@example.com`, is_activated: 1, is_primary: 1 })),
  );
  source.rows('follow', ...list(users - 1, (id) => ({ id, user_id: id, follow_id: id + 1, created_unix: 1700000000 })));
  source.rows(
    'repository',
    ...list(repositories, (id) => ({ id, owner_id: 2, owner_name: 'U2', name: `r${id}`, lower_name: `r${id}`, ...at })),
  );
  source.run('commit');
  mkdirSync(join(source.folder, 'data', 'avatars'));
  for (let id = 2; id < users + 2; id++)
    writeFileSync(join(source.folder, 'data', 'avatars', `picture${id}`), `picture ${id}`);
  const folder = join(source.folder, 'data', 'gitea-repositories', 'u2');
  const first = join(folder, 'r2.git');
  mkdirSync(first, { recursive: true });
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', first]);
  const input =
    'commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\na\nM 644 inline a\ndata 1\na\n';
  execFileSync('git', ['fast-import', '--quiet'], { cwd: first, input });
  for (let id = 3; id < repositories + 2; id++) cpSync(first, join(folder, `r${id}.git`), { recursive: true });
}

/** What has come, for comparing. Times of this site are not of the source. */
async function rowsOf({ env }) {
  const knex = knexOf(
    env.MORTISE__database__NAME
      ? {
          client: 'mysql2',
          connection: {
            host: env.MORTISE__database__HOST.split(':')[0],
            port: Number(env.MORTISE__database__HOST.split(':')[1]),
            user: 'root',
            database: env.MORTISE__database__NAME,
          },
        }
      : {
          client: 'better-sqlite3',
          connection: { filename: join(env.MORTISE_WORK_DIR, 'data', 'mortise.db') },
          useNullAsDefault: true,
        },
  );
  try {
    return {
      takeover_row: await knex('takeover_row').orderBy(['kind', 'source_id', 'second_id']),
      user: await knex('user').where('id', '>', 1).orderBy('id'),
      email_address: await knex('email_address').where('user_id', '>', 1).select('user_id', 'email').orderBy('user_id'),
      user_follow: await knex('user_follow').select('user_id', 'followed_id').orderBy('user_id'),
      repository: await knex('repository')
        .orderBy('id')
        .select('id', 'owner_id', 'owner_visibility', 'name', 'licenses'),
    };
  } finally {
    await knex.destroy();
  }
}

describe(`a takeover that is killed (seed ${seed})`, { timeout: 3_600_000 }, () => {
  let source;
  let killed;
  let whole;
  before(async () => {
    source = new SourceFixture();
    fill(source);
    [killed, whole] = [await startServer({ start: false }), await startServer({ start: false })];
  });
  after(async () => {
    source?.close();
    await killed?.close();
    await whole?.close();
  });
  /** Kills a pass some time after it has said so many lines. True: it came to its end before. */
  const takeUntil = (lines, ms) =>
    new Promise((resolve) => {
      const args = [join(root, 'core/bin/mortise.mjs'), 'takeover', '--from', source.folder];
      const stdio = ['ignore', 'pipe', 'ignore'];
      const child = spawn(process.execPath, args, { env: killed.env, cwd: root, stdio, detached: true });
      let said = 0;
      let clock;
      child.stdout.on('data', (chunk) => {
        said += String(chunk).split('\n').length - 1;
        if (said >= lines) clock ??= setTimeout(() => process.kill(-child.pid, 'SIGKILL'), ms);
      });
      child.on('exit', (code) => {
        clearTimeout(clock);
        resolve(code === 0);
      });
    });

  it(`goes on without halves or doubles over ${kills} kills`, async () => {
    let deaths = 0;
    for (let round = 0; round < kills; round++) {
      // so that there is something to write in every pass
      source.run(`update "user" set full_name = 'round ${round}'`);
      // the first line comes before the first table, and one after each
      const lines = round === 0 ? 1 : 1 + Math.floor(random() * 8);
      if (!(await takeUntil(lines, random() * 200))) deaths++;
    }
    expect(deaths, 'passes that were killed').to.be.above(0);
    const last = killed.cli('takeover', '--from', source.folder);
    expect(last.code, last.err).to.equal(0);
    expect(last.out).to.not.match(/: [1-9]\d* read.* [1-9]\d* skipped/);
    const undisturbed = whole.cli('takeover', '--from', source.folder);
    expect(undisturbed.code, undisturbed.err + undisturbed.out).to.equal(0);
    const [rows, expected] = [await rowsOf(killed), await rowsOf(whole)];
    for (const [table, list] of Object.entries(expected)) expect(rows[table], table).to.equal(list);
    expect(expected.user).to.have.length(users);
    const verified = killed.cli('takeover', 'verify', '--from', source.folder);
    expect(verified.out).to.contain('Nothing differs without a reason.');
    expect(verified.code).to.equal(0);
    const again = killed.cli('takeover', '--from', source.folder);
    for (const line of again.out.split('\n').filter((text) => / read, /.test(text)))
      expect(line).to.match(/, 0 written, .*, 0 removed/);
  });
});
