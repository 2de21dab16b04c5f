// Every fault that leaves a trace, made by hand: doctor finds it, `--fix` mends it, and doctor is content afterwards.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHost } from '@mortise/core';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const longAgo = new Date(Date.now() - 3 * 86_400_000);
const hash = 'ab'.repeat(32);

describe('doctor', { timeout: 900_000 }, () => {
  let server;
  let work;
  before(async () => {
    server = await startServer();
    work = server.env.MORTISE_WORK_DIR;
    for (const name of ['tool', 'broken', 'borrowing'])
      expect((await server.api('POST', '/user/repos', { body: { name, auto_init: true } })).status).to.equal(201);
    await server.stop();
  });
  after(() => server?.close());

  const folderOf = (id) => join(work, 'repositories', id.toString(16).padStart(3, '0'), `${id}.git`);
  const old = (path) => {
    utimesSync(path, longAgo, longAgo);
    return path;
  };
  const write = (path, content = '') => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  const inDatabase = async (change) => {
    const host = await createHost({ workDir: work, environment: server.env, logLevel: 'none' });
    try {
      return await host.database.write(() => change(host.database.knex()));
    } finally {
      await host.stop();
    }
  };
  const badOf = (out) => out.split('\n').filter((line) => /^[✖!] /.test(line));
  const doctorCommand = (...args) => {
    const { code, out, err } = server.cli('doctor', ...args);
    return { code, out: out + err, bad: badOf(out) };
  };
  /** What the command prints, without a process that loads all plugins for each look. */
  const doctor = async (options = {}) => {
    const host = await createHost({ workDir: work, environment: server.env, logLevel: 'none' });
    let out = '';
    try {
      for await (const { level, check, text, fixed } of host.doctor({ fix: false, deep: false, ...options }))
        out += `${{ ok: '✔', warning: '!', error: '✖' }[level]} ${check}: ${text}${fixed ? ' (repaired)' : ''}\n`;
    } finally {
      await host.stop();
    }
    return { out, bad: badOf(out) };
  };

  /** What is done, what doctor says of it, and, where nothing else can mend it, what does. */
  const faults = {
    'an empty secret': {
      make: () => writeFileSync(join(work, 'config', 'secret'), ''),
      says: /core: secret: the secret .* is empty/,
    },
    'host keys that others may read': {
      make: () => chmodSync(join(work, 'ssh', 'host.ed25519'), 0o644),
      says: /git-ssh: host keys: other users of this machine may read/,
    },
    'a damaged host key': {
      make: () => writeFileSync(join(work, 'ssh', 'host.ecdsa'), 'no key'),
      says: /host\.ecdsa is damaged/,
    },
    'an open work folder': { make: () => chmodSync(work, 0o755), says: /core: work folder: other users/ },
    'a lock of git that nobody holds': {
      make: () => write(join(folderOf(1), 'refs', 'heads', 'main.lock')),
      says: /repository 1: refs\/heads\/main\.lock/,
    },
    'a journal that cannot be read': {
      make: () => write(join(work, 'repositories', '.journal', '1-code-0-0.json')),
      says: /an interrupted change of repository 1 could not be read/,
    },
    'garbage of a killed push': {
      make: () => {
        const folder = join(folderOf(1), 'objects', 'tmp_objdir-incoming-abc');
        old(write(join(folder, 'pack')));
        old(folder);
      },
      says: /repository 1 holds 1 leftovers of pushes/,
    },
    'a hook that is missing': {
      make: () => {
        const hooks = join(work, 'repositories', '.hooks');
        for (const version of readdirSync(hooks)) rmSync(join(hooks, version, 'pre-receive'));
      },
      says: /hooks of the server were missing or changed: pre-receive/,
    },
    'a folder of no repository': {
      make: () => {
        write(join(folderOf(77), 'HEAD'), 'ref: refs/heads/main\n');
        old(folderOf(77));
      },
      says: /the folder of repository 77 belongs to no repository/,
    },
    'a HEAD that names another branch': {
      make: () => writeFileSync(join(folderOf(1), 'HEAD'), 'ref: refs/heads/other\n'),
      says: /HEAD of root\/tool \(1\) does not name main/,
    },
    'an object that is missing': {
      make: () => renameSync(join(folderOf(2), 'objects'), join(folderOf(2), 'objects-away')),
      says: /repository 2 is damaged; take it from a back-up/,
      mend: () => {
        rmSync(join(folderOf(2), 'objects'), { recursive: true, force: true });
        renameSync(join(folderOf(2), 'objects-away'), join(folderOf(2), 'objects'));
      },
    },
    'alternates that are gone': {
      make: () => write(join(folderOf(3), 'objects', 'info', 'alternates'), '/no/such/objects\n'),
      says: /repository 3 is damaged.*alternates/,
      mend: () => rmSync(join(folderOf(3), 'objects', 'info', 'alternates')),
    },
    'O2: a file where the folder of a repository would be': {
      make: () => write(join(folderOf(78), '..', '78.git'), 'no folder'),
      says: /git: (objects|repositories): repository 78 could not be looked at/,
      mend: () => rmSync(folderOf(78)),
    },
    'O2: rows of a repository that is not there': {
      make: () =>
        inDatabase((knex) =>
          knex('action_variable').insert({
            owner_id: 0,
            repository_id: 4711,
            name: 'LOST',
            value: '',
            description: '',
            created_at: 1,
            updated_at: 1,
          }),
        ),
      says: /repositories: rows: 1 rows of action_variable belong to repositories that are not there: 4711/,
      mend: () => inDatabase((knex) => knex('action_variable').where({ repository_id: 4711 }).delete()),
    },
    'contents of packages, LFS and attachments that belong to nothing': {
      make: () => {
        for (const area of ['packages', 'lfs'])
          old(write(join(work, 'data', 'storage', area, 'ab', 'ab', hash), 'nobody'));
        old(write(join(work, 'data', 'storage', 'attachments', 'a', 'b', '0b7e7dee-87b1-4ea2-b0a2-1c3f9e8e0000'), 'x'));
      },
      says: [
        /packages: contents: 1 contents belong to no package/,
        /1 LFS contents belong to no repository/,
        /1 contents belong to no attachment/,
      ],
    },
    'a storage that takes nothing': {
      make: () => {
        renameSync(join(work, 'data', 'storage'), join(work, 'data', 'storage-away'));
        writeFileSync(join(work, 'data', 'storage'), 'no folder');
      },
      says: /✖ core: storage: /,
      mend: () => {
        rmSync(join(work, 'data', 'storage'));
        renameSync(join(work, 'data', 'storage-away'), join(work, 'data', 'storage'));
      },
    },
    'rows of locks, failed jobs and events that were given up': {
      make: () =>
        inDatabase(async (knex) => {
          const failed = {
            state: 'failed',
            payload: '{}',
            run_at: 1,
            created_at: 1,
            ended_at: Date.now(),
            error: 'no',
          };
          await knex('job').insert([
            { ...failed, name: 'git.forgetChanges' },
            { ...failed, name: 'gone.job' },
          ]);
          await knex('lock').insert({ name: 'left', owner: 'dead', held_until: 1 });
          const [id] = await knex('event').insert({ name: 'gone.event', payload: '{}', emitted_at: Date.now() });
          await knex('event_delivery').insert({ subscriber: 'gone/it', event_id: id, parked: true, error: 'no' });
          const [renamed] = await knex('event').insert({ name: 'a.b', payload: '{}', emitted_at: Date.now() });
          await knex('event_delivery').insert({ subscriber: 'wiki/renamed', event_id: renamed });
        }),
      says: [
        /core: events: 2 events wait for subscriptions that no plugin here has: gone\/it, wiki\/renamed/,
        /core: locks: 1 lock was left/,
        /job git\.forgetChanges failed for good/,
        /1 event was given up/,
      ],
    },
  };

  it('is content with a sound installation', () => {
    const { code, out, bad } = doctorCommand();
    expect(bad, out).to.be.empty();
    expect(out).to.contain('all is well');
    expect(code).to.equal(0);
  });

  it('finds each fault, mends what can be mended, and is content afterwards', async () => {
    for (const { make } of Object.values(faults)) await make();
    const found = doctorCommand();
    expect(found.code).to.equal(1);
    // a storage that takes nothing hides what lies in it
    faults['a storage that takes nothing'].mend();
    delete faults['a storage that takes nothing'].mend;
    const again = await doctor();
    for (const [name, { says }] of Object.entries(faults))
      for (const words of [says].flat()) expect(found.out + again.out, name).to.match(words);

    const fixed = doctorCommand('--fix');
    for (const [name, { mend }] of Object.entries(faults)) {
      if (mend) expect(fixed.out, name).to.not.match(new RegExp(`${faults[name].says.source}.*\\(repaired\\)`));
      await mend?.();
    }
    const settled = await doctor({ fix: true }); // tells that what was damaged is well again
    const last = await doctor();
    expect(last.bad, `${fixed.out}\n${settled.out}`).to.be.empty();
    expect(existsSync(join(work, 'repositories', '.set-aside'))).to.be.true();
    expect(readFileSync(join(work, 'config', 'secret'), 'utf8')).to.match(/^[0-9a-f]{64}\n$/);
  });

  it('O2: an object of git that only the content of a tree names is missed by the deep look alone', async () => {
    const git = async (...args) => (await server.git(args, { cwd: folderOf(1) })).out.trim();
    const blob = await git('rev-parse', 'HEAD:README.md');
    const path = join(folderOf(1), 'objects', blob.slice(0, 2), blob.slice(2));
    expect(existsSync(path)).to.be.true();
    renameSync(path, join(work, 'away'));
    expect((await doctor()).bad).to.be.empty();
    const deep = await doctor({ deep: true });
    expect(deep.bad.join('\n')).to.match(/^✖ git: objects: repository 1 is damaged; .*(missing blob|broken link)/);
    renameSync(join(work, 'away'), path);
    await doctor({ deep: true });
    expect((await doctor({ deep: true })).bad).to.be.empty();
  });

  it('tells a secret that was exchanged from a new one', async () => {
    const file = join(work, 'config', 'secret');
    const former = readFileSync(file, 'utf8');
    writeFileSync(file, `${'12'.repeat(32)}\n`);
    expect((await doctor()).out).to.match(/✖ core: secret: the secret is not the one that this database was used with/);
    writeFileSync(file, former);
    expect((await doctor()).bad).to.be.empty();
    writeFileSync(file, `${'34'.repeat(32)}\n`);
    expect((await doctor({ fix: true })).out).to.match(/core: secret: .*\(repaired\)/);
    expect((await doctor()).bad).to.be.empty();
  });

  it('tells tables that are newer than the program, and leaves them alone', async () => {
    const newer = { owner: 'git', name: '9999_from_tomorrow', version: '9.9.9', applied_at: 1 };
    await inDatabase((knex) => knex('migration').insert(newer));
    const { out } = await doctor({ fix: true });
    expect(out).to.contain('the tables are newer than the plugin git').and.contain('9.9.9');
    await inDatabase((knex) => knex('migration').where({ name: newer.name }).delete());
    expect((await doctor()).bad).to.be.empty();
  });

  it('leaves a server that starts and serves', async () => {
    await server.start();
    expect((await server.api('GET', '/repos/root/tool')).status).to.equal(200);
  });
});
