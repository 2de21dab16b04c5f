// Incremental back-ups of a server that is written to: each restored copy is whole and in agreement with itself.
// Time: about 60 s
//
//   MORTISE_TEST_FULL=1   two back-ups while everything is written to, each restored, instead of one
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { openFile } from '../../core/dist/database/sqlite-library.js';
import { root, startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const mortise = join(root, 'core/bin/mortise.mjs');
/** Back-ups while everything is written to: a first one, and in the full run one that takes what is new. */
const rounds = process.env.MORTISE_TEST_FULL ? 2 : 1;

async function connectToMysql(database) {
  const { createConnection } = await import('mysql2/promise');
  const url = new URL(process.env.MORTISE_TEST_MYSQL);
  return createConnection({ host: url.hostname, port: Number(url.port), user: 'root', database });
}

describe('F3: back-ups of a running server', { timeout: 1_800_000 }, () => {
  let server;
  let folder;
  const made = [];
  before(async () => {
    server = await startServer({
      workers: 2,
      // no tables of others: what is backed up with these plugins is restored with them
      fresh: true,
      plugins: ['package-generic', 'releases', 'refs', 'files', 'git-http', 'admin'],
    });
    folder = join(server.folder, 'backups');
  });
  after(async () => {
    await server?.close();
    if (made.length && process.env.MORTISE_TEST_ENGINE === 'mysql') {
      const connection = await connectToMysql();
      for (const name of made) await connection.query(`drop database if exists \`${name}\``);
      await connection.end();
    }
  });

  /** The command line beside what this process does. */
  const cli = (args, env = server.env, started = () => {}) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [mortise, ...args], { env, cwd: root });
      let out = '';
      child.stdout.on('data', (chunk) => (out += chunk));
      child.stderr.on('data', (chunk) => (out += chunk));
      child.on('close', (code, signal) => resolve({ code: code ?? signal, out }));
      started(child);
    });
  const backup = async (...args) => {
    const run = await cli(['backup', folder, ...args]);
    expect(run.code, run.out).to.equal(0);
    return { id: /^(\S+): the state/m.exec(run.out)[1], written: Number(/(\d+) bytes were new/.exec(run.out)[1]) };
  };
  const elsewhere = (name) => {
    const database = `mortise_backup_${process.pid}_${Date.now() % 1e9}_${name}`;
    made.push(database);
    return {
      ...server.env,
      MORTISE_WORK_DIR: join(server.folder, name),
      ...(server.env.MORTISE__database__NAME && { MORTISE__database__NAME: database }),
    };
  };
  const filesBelow = (path, ending = '') =>
    readdirSync(path, { withFileTypes: true, recursive: true }).filter(
      (entry) => entry.isFile() && entry.name.endsWith(ending),
    );
  const contents = () => filesBelow(join(folder, 'objects')).length + filesBelow(join(folder, 'texts')).length;

  /** Everything that fits together in one work folder. */
  async function expectWhole(env, about) {
    const doctor = await cli(['doctor'], env);
    expect(doctor.code, `${about}\n${doctor.out}`).to.equal(0);
    // What was just being done at that moment is finished or undone at the next start; and how fast this machine was
    // while the rows were written is no matter of back-ups.
    expect(doctor.out, about)
      .to.not.contain('✖')
      .and.not.match(/^! (?!core|.*begun and not finished|.*held up every write)/m);
    const repositories = join(env.MORTISE_WORK_DIR, 'repositories');
    let checked = 0;
    for (const bucket of readdirSync(repositories).filter((name) => /^[0-9a-f]{3}$/.test(name)))
      for (const name of readdirSync(join(repositories, bucket))) {
        const fsck = await server.git(['fsck', '--full', '--strict'], { cwd: join(repositories, bucket, name) });
        expect(fsck.code, `${about}: ${name}\n${fsck.out}${fsck.err}`).to.equal(0);
        checked++;
      }
    return checked;
  }

  /** Writers of every kind, until told to stop; gives what was acknowledged and never deleted. */
  function writers() {
    let going = true;
    const acknowledged = { repositories: new Set(), heads: new Map(), packages: new Set() };
    const ok = (answer) => answer.status < 300;
    const loop = async (work) => {
      for (let n = 0; going; n++) {
        await work(n);
        // what is written is looked at again in each copy, so as much as the machine can write is no better than some
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const pushes = async (who) => {
      const work = join(server.folder, `work-${who}`);
      mkdirSync(work, { recursive: true });
      const git = (...args) => server.git(args, { cwd: work });
      await git('init', '-q', '-b', 'main');
      await loop(async (n) => {
        writeFileSync(join(work, 'file.txt'), `${who} ${n}\n${'line\n'.repeat(n * 50)}`);
        await git('add', '-A');
        await git('commit', '-q', '-m', `change ${n}`);
        const address = `${server.base}/root/target.git`;
        const branch = `${who}-${n % 4}`;
        const pushed = await git('push', '-q', '-f', address, `HEAD:refs/heads/${branch}`);
        if (pushed.code === 0) acknowledged.heads.set(branch, (await git('rev-parse', 'HEAD')).out.trim());
        if (n % 5 === 4)
          await git('push', '-q', address, `:refs/heads/${who}-${(n + 1) % 4}`).then(() =>
            acknowledged.heads.delete(`${who}-${(n + 1) % 4}`),
          );
      });
    };
    const repositories = () =>
      loop(async (n) => {
        const name = `short-${n}`;
        if (!ok(await server.api('POST', '/user/repos', { body: { name, auto_init: true } }))) return;
        if (n % 2) await server.api('DELETE', `/repos/root/${name}`);
        else acknowledged.repositories.add(name);
      });
    const releases = () =>
      loop(async (n) => {
        const made = await server.api('POST', '/repos/root/target/releases', {
          body: { tag_name: `v${n}`, target_commitish: 'main' },
        });
        if (!ok(made)) return;
        const form = new FormData();
        form.set('attachment', new Blob([`asset ${n}`.repeat(1000)]), `asset-${n}.txt`);
        const authorization = `Basic ${Buffer.from('root:password').toString('base64')}`;
        await fetch(`${server.base}/api/v1/repos/root/target/releases/${made.json.id}/assets`, {
          method: 'POST',
          body: form,
          headers: { authorization },
        });
        if (n % 2) {
          await server.api('DELETE', `/repos/root/target/releases/${made.json.id}`);
          await server.api('DELETE', `/repos/root/target/tags/v${n}`);
        }
      });
    const packages = () =>
      loop(async (n) => {
        const path = `${server.base}/api/packages/root/generic/package/${n}/file.bin`;
        const put = await server.api('PUT', path, {
          body: `package ${n} `.repeat(500),
          headers: { 'content-type': 'application/octet-stream' },
        });
        if (!ok(put)) return;
        if (n % 2) await server.api('DELETE', path);
        else acknowledged.packages.add(path);
      });
    const work = [pushes('ada'), pushes('ben'), repositories(), releases(), packages()];
    return {
      acknowledged,
      async stop() {
        going = false;
        await Promise.all(work);
      },
    };
  }

  it('are whole, whatever is written and deleted meanwhile', async () => {
    await server.api('POST', '/user/repos', { body: { name: 'target', auto_init: true } });
    const writing = writers();
    const points = [];
    const { repositories, packages } = writing.acknowledged;
    try {
      for (const end = Date.now() + 60_000; !(repositories.size && packages.size) && Date.now() < end;)
        await new Promise((resolve) => setTimeout(resolve, 50));
      for (let round = 0; round < rounds; round++) {
        const before = {
          repositories: [...writing.acknowledged.repositories],
          packages: [...writing.acknowledged.packages],
        };
        points.push({ ...before, ...(await backup()) });
      }
    } finally {
      await writing.stop();
    }
    expect(writing.acknowledged.heads.size).to.be.above(0);
    const verified = await cli(['backup', 'verify', folder]);
    expect(verified.code, verified.out).to.equal(0);
    expect((await cli(['backup', 'list', folder])).out.trim().split('\n')).to.have.length(rounds);

    for (const [n, point] of points.entries()) {
      const env = elsewhere(`copy-${n}`);
      const restored = await cli(['restore', folder, '--point', point.id], env);
      expect(restored.code, restored.out).to.equal(0);
      expect(restored.out).to.not.contain('nowhere');
      expect(await expectWhole(env, point.id)).to.be.above(0);
    }
    // What was acknowledged before the last one began is served from it.
    const last = points.at(-1);
    await server.stop();
    const served = spawn(process.execPath, [mortise, 'web'], {
      env: { ...server.env, ...elsewhereOf(last, points) },
      cwd: root,
      stdio: 'ignore',
    });
    try {
      await answers();
      for (const name of last.repositories)
        expect((await server.api('GET', `/repos/root/${name}/contents`)).status, name).to.equal(200);
      for (const path of last.packages) expect((await server.api('GET', path)).status, path).to.equal(200);
      const pushed = await server.git(['push', '-q', `${server.base}/root/target.git`, 'HEAD:refs/heads/after'], {
        cwd: join(server.folder, 'work-ada'),
      });
      expect(pushed.code, pushed.err).to.equal(0);
    } finally {
      const ended = new Promise((resolve) => served.on('exit', resolve));
      served.kill('SIGTERM');
      await ended;
    }
    await server.start();
    expect(last.repositories.length + last.packages.length).to.be.above(0);
  });

  const elsewhereOf = (point, points) => ({
    MORTISE_WORK_DIR: join(server.folder, `copy-${points.indexOf(point)}`),
    ...(server.env.MORTISE__database__NAME && {
      MORTISE__database__NAME: made.find((name) => name.endsWith(`_copy-${points.indexOf(point)}`)),
    }),
  });
  async function answers() {
    for (let tries = 0; tries < 6000; tries++) {
      if (
        await fetch(`${server.base}/api/v1/version`).then(
          (answer) => answer.ok,
          () => false,
        )
      )
        return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the restored copy does not answer');
  }

  it('keep only what has changed', async () => {
    await backup();
    const before = contents();
    const again = await backup();
    // rows that processes write by themselves, and their lists
    expect(contents() - before).to.be.below(12);
    expect(again.written).to.be.below(20_000);
    const large = Buffer.alloc(2_000_000, 'large');
    await server.api('PUT', `${server.base}/api/packages/root/generic/large/1/file.bin`, { body: large.toString() });
    const more = await backup();
    expect(more.written).to.be.within(2_000_000, 2_100_000);
  });

  /** When the lock in the database ends (ms); asked of the database itself, since each attempt would be a process. */
  async function lockedUntil() {
    const sql = "select held_until as at from `lock` where name = 'core.backup'";
    if (process.env.MORTISE_TEST_ENGINE === 'mysql') {
      const connection = await connectToMysql(server.env.MORTISE__database__NAME);
      const [rows] = await connection.query(sql);
      await connection.end();
      return Number(rows[0]?.at ?? 0);
    }
    const file = openFile(join(server.env.MORTISE_WORK_DIR, 'data', 'mortise.db'), { readonly: true });
    const row = file.prepare(sql).get();
    file.close();
    return Number(row?.at ?? 0);
  }

  it('go on after one was killed, and one at a time', async () => {
    const killed = await cli(['backup', folder], server.env, (child) => {
      const clock = setInterval(() => {
        try {
          statSync(join(folder, 'lock'));
          clearInterval(clock);
          child.kill('SIGKILL');
        } catch {
          // not begun yet
        }
      }, 1);
      child.on('exit', () => clearInterval(clock));
    });
    expect(killed.code).to.equal('SIGKILL');
    const other = join(server.folder, 'other-backups');
    const both = await Promise.all([cli(['backup', folder]), cli(['backup', other])]);
    // The lock of the killed one ends by itself; of two, one may have to wait for that or for the other.
    for (const run of both) if (run.code !== 0) expect(run.out).to.match(/in use|another program/);
    for (let tries = 0; (await lockedUntil()) >= Date.now(); tries++) {
      expect(tries).to.be.below(1500);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const run = await cli(['backup', folder]);
    expect(run.code, run.out).to.equal(0);
    expect((await cli(['backup', 'verify', folder])).code).to.equal(0);
  });

  it('are found to be damaged, and mended by the next one', async () => {
    const large = filesBelow(join(folder, 'objects')).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
    const victim = large.find((file) => statSync(file).size === 2_000_000);
    const content = readFileSync(victim);
    content[1000] ^= 1;
    writeFileSync(victim, content);
    expect((await cli(['backup', 'verify', folder, '--quick'])).code).to.equal(0);
    const found = await cli(['backup', 'verify', folder]);
    expect(found.code).to.equal(1);
    expect(found.out).to.contain('has changed');
    const env = elsewhere('damaged');
    const refused = await cli(['restore', folder], env);
    expect(refused.code).to.equal(1);
    expect(refused.out).to.contain('has changed');
    // Half restored, nothing can be served from it.
    expect((await cli(['doctor'], env)).out).to.contain('did not end');
    expect((await cli(['backup', 'verify', folder, '--remove-damaged'])).out).to.contain('removed: 1');
    await backup();
    expect((await cli(['backup', 'verify', folder])).code).to.equal(0);
    const restored = await cli(['restore', folder], env);
    expect(restored.code, restored.out).to.equal(0);
    await expectWhole(env, 'after the damage');
  });

  it('are pruned to those that are wanted, which stay whole', async () => {
    const before = contents();
    await backup('--keep', '2');
    const { out } = await cli(['backup', 'list', folder]);
    expect(out.trim().split('\n')).to.have.length(2);
    expect(contents()).to.be.below(before);
    expect((await cli(['backup', 'verify', folder])).code).to.equal(0);
    const refused = await cli(['backup', 'prune', folder]);
    expect(refused.code).to.equal(1);
  });
});
