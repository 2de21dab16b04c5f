// Many git clients at once, and large pushes: each lands or is refused with words, nothing is lost, memory stays small.
// Time: about 50 s
//
//   MORTISE_TEST_FULL=1   20 clients, 300 MB, 5,000 commits, 100 clones (else smaller)
//   MORTISE_TEST_REPORT=1 prints what was measured
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { peakMemory } from '../support/peak-memory.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const full = Boolean(process.env.MORTISE_TEST_FULL);
const say = (text) => process.env.MORTISE_TEST_REPORT && console.log(text);
const clients = full ? 20 : 5;
const pushMegabytes = full ? 300 : 60;
const commits = full ? 5000 : 1000;
const clones = full ? 100 : 12;
const memoryLimit = 250;
const person = 'Ada <ada@example.com>';

/** A history as a stream for `git fast-import`. */
function history(count) {
  const parts = [];
  for (let at = 1; at <= count; at++) {
    const content = `line ${at}\n`.repeat(1 + (at % 40));
    parts.push(
      `commit refs/heads/main\ncommitter ${person} ${1_600_000_000 + at * 60} +0000\ndata ${String(at).length}\n${at}\n`,
      `M 100644 inline d${at % 50}/f${at % 300}.txt\ndata ${content.length}\n${content}\n`,
    );
  }
  return parts.join('');
}

const clearRefusal =
  /\[(remote )?rejected\]|fetch first|non-fast-forward|failed to update ref|cannot lock ref|try again/;

// on MariaDB two: what happens at once in one process does so in two as well
for (const workers of process.env.MORTISE_TEST_ENGINE === 'mysql' ? [2] : [1, 2])
  describe(
    `pushes and clones at scale, ${workers} ${workers === 1 ? 'process' : 'workers'}`,
    { timeout: 1_800_000 },
    () => {
      let server;
      let work;
      let tools;
      let calls;
      const plain = (cwd, ...args) => spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
      const url = (name) => `${server.base}/root/${name}.git`;
      const diskOf = async (name) => {
        const { id } = (await server.api('GET', `/repos/root/${name}`)).json;
        return join(
          server.env.MORTISE_WORK_DIR,
          'repositories',
          (id % 1024).toString(16).padStart(3, '0'),
          `${id}.git`,
        );
      };
      const make = (name) => server.api('POST', '/user/repos', { body: { name, default_branch: 'main' } });
      const refsOf = async (name) =>
        (await server.git(['ls-remote', url(name), 'refs/heads/*', 'refs/tags/*'])).out.trim();
      const wholeOnDisk = async (name) => {
        const check = plain(await diskOf(name), 'fsck', '--full', '--strict', '--no-dangling');
        expect(check.status, check.stderr).to.equal(0);
        expect(check.stderr).to.not.match(/missing|corrupt|error/);
      };
      const clone = (name, to, ...options) => server.git(['clone', '-q', ...options, url(name), join(work, to)]);

      before(async () => {
        // a git that writes down what it was asked to do
        tools = mkdtempSync(join(tmpdir(), 'mortise-tools-'));
        calls = join(tools, 'calls');
        writeFileSync(join(tools, 'git'), `#!/bin/sh\necho "$@" >> '${calls}'\nexec git "$@"\n`, { mode: 0o755 });
        server = await startServer({
          workers,
          plugins: ['git-http', 'refs', 'files', 'history'],
          settings: { MORTISE__qos__ENABLED: 'false', MORTISE__git__PATH: join(tools, 'git') },
        });
        work = join(server.folder, 'work');
        mkdirSync(work);
        await make('history');
        plain(work, 'init', '-q', '-b', 'main', 'history');
        const imported = spawnSync('git', ['fast-import', '--quiet'], {
          cwd: join(work, 'history'),
          input: history(workers === 1 ? commits : 300),
        });
        expect(imported.status, String(imported.stderr)).to.equal(0);
        const pushed = await server.git(['push', '-q', url('history'), 'main'], { cwd: join(work, 'history') });
        expect(pushed.code, pushed.err).to.equal(0);
      });
      after(async () => {
        await server?.close();
        rmSync(tools, { recursive: true, force: true });
      });

      /** A clone per client with one commit of its own. */
      async function prepare(name) {
        const made = [];
        for (let at = 0; at < clients; at++) {
          const folder = join(work, `${name}-${at}`);
          await clone(name, `${name}-${at}`);
          writeFileSync(join(folder, `client-${at}.txt`), randomBytes(2000).toString('hex'));
          plain(folder, 'add', '.');
          await server.git(['commit', '-q', '-m', `client ${at}`], { cwd: folder });
          made.push({ at, folder, oid: plain(folder, 'rev-parse', 'HEAD').stdout.trim() });
        }
        return made;
      }

      it(`${clients} clients push to branches of their own at once, while others clone and fetch`, async () => {
        const prepared = await prepare('history');
        let pushing = true;
        for (let at = 0; at < 3; at++) await clone('history', `reader-${at}`, '--bare');
        const readers = Array.from({ length: 3 }, async (_, at) => {
          const seen = [];
          do {
            const fetched = await server.git(['fetch', '-q', 'origin', '+refs/heads/*:refs/heads/*'], {
              cwd: join(work, `reader-${at}`),
            });
            seen.push(fetched);
          } while (pushing);
          return seen;
        });
        const started = Date.now();
        const results = await Promise.all(
          prepared.map(({ at, folder }) =>
            server.git(['push', url('history'), `HEAD:refs/heads/client/${at}`], { cwd: folder }),
          ),
        );
        say(
          `${workers} workers: ${clients} branches at once ${Date.now() - started} ms, peak ${peakMemory(server.pid)} MB`,
        );
        pushing = false;
        const fetches = (await Promise.all(readers)).flat();
        expect(results.filter((one) => one.code !== 0).map((one) => one.err)).to.equal([]);
        expect(fetches.filter((one) => one.code !== 0).map((one) => one.err)).to.equal([]);
        const refs = await refsOf('history');
        for (const { at, oid } of prepared) expect(refs).to.contain(`${oid}\trefs/heads/client/${at}`);
        const branches = await server.api('GET', '/repos/root/history/branches?limit=50');
        expect(branches.headers.get('x-total-count')).to.equal(String(clients + 1));
        await wholeOnDisk('history');
      });

      it(`${clients} clients push to one branch at once: each lands or is told why not, none is lost`, async () => {
        const landed = new Set();
        const before = plain(join(work, 'history'), 'rev-parse', 'HEAD').stdout.trim();
        const prepared = await Promise.all(
          Array.from({ length: clients }, async (_, at) => {
            const folder = join(work, `history-${at}`);
            return { at, folder, oid: plain(folder, 'rev-parse', 'HEAD').stdout.trim() };
          }),
        );
        const started = Date.now();
        const results = await Promise.all(
          prepared.map(({ folder }) => server.git(['push', url('history'), 'HEAD:refs/heads/main'], { cwd: folder })),
        );
        say(`${workers} workers: ${clients} to one branch ${Date.now() - started} ms`);
        for (const [at, one] of results.entries()) {
          if (one.code === 0) landed.add(prepared[at].oid);
          else expect(one.err).to.match(clearRefusal);
          expect(one.err).to.not.match(/error: 5\d\d|server failed|hung up|RPC failed/);
        }
        expect(landed.size).to.equal(1);
        expect(await refsOf('history')).to.contain(`${[...landed][0]}\trefs/heads/main`);
        expect([...landed][0]).to.not.equal(before);

        // and each gets in when it tries again as people do
        const again = await Promise.all(
          prepared.map(async ({ folder }) => {
            for (let tries = 0; tries < 60; tries++) {
              const pulled = await server.git(['pull', '-q', '--rebase', url('history'), 'main'], { cwd: folder });
              if (pulled.code !== 0) return pulled.err;
              const pushed = await server.git(['push', '-q', url('history'), 'HEAD:refs/heads/main'], { cwd: folder });
              if (pushed.code === 0) return 'landed';
              if (!clearRefusal.test(pushed.err)) return pushed.err;
            }
            return 'never';
          }),
        );
        expect(again).to.equal(Array(clients).fill('landed'));
        await clone('history', 'merged');
        const files = readdirSync(join(work, 'merged')).filter((name) => name.startsWith('client-'));
        expect(files).to.have.length(clients);
        await wholeOnDisk('history');
        const mirror = await clone('history', 'mirror', '--mirror');
        expect(mirror.code, mirror.err).to.equal(0);
        const mirrored = plain(
          join(work, 'mirror'),
          'for-each-ref',
          '--format=%(objectname)\t%(refname)',
        ).stdout.trim();
        expect(mirrored).to.equal(await refsOf('history'));
      });

      // what packs take has nothing to do with the database
      if (workers > 1 || process.env.MORTISE_TEST_ENGINE === 'mysql') return;

      it(`a push of ${pushMegabytes} MB stays below ${memoryLimit} MB of memory`, async () => {
        await make('large');
        const folder = join(work, 'large');
        plain(work, 'init', '-q', '-b', 'main', 'large');
        for (let at = 0; at < 10; at++) {
          const file = openSync(join(folder, `${at}.bin`), 'w');
          for (let megabyte = 0; megabyte < pushMegabytes / 10; megabyte++) writeSync(file, randomBytes(1 << 20));
          closeSync(file);
        }
        plain(folder, '-c', 'core.compression=0', 'add', '.');
        await server.git(['commit', '-q', '-m', 'large'], { cwd: folder });
        const started = Date.now();
        const pushed = await server.git(['-c', 'core.compression=0', 'push', '-q', url('large'), 'main'], {
          cwd: folder,
        });
        const took = Date.now() - started;
        expect(pushed.code, pushed.err).to.equal(0);
        const afterPush = peakMemory(server.pid);
        const cloned = await clone('large', 'large-clone', '--bare');
        expect(cloned.code, cloned.err).to.equal(0);
        say(
          `push of ${pushMegabytes} MB: ${took} ms, peak ${afterPush} MB, after a clone ${peakMemory(server.pid)} MB`,
        );
        expect(peakMemory(server.pid)).to.be.below(memoryLimit);
        rmSync(folder, { recursive: true });
      });

      it('clones full, shallow, partial, single-branch and by bundle', async () => {
        const total = Number(plain(await diskOf('history'), 'rev-list', '--count', 'main').stdout);
        const timed = async (to, ...options) => {
          const started = Date.now();
          const one = await clone('history', to, ...options);
          say(`clone ${options.join(' ') || 'full'}: ${Date.now() - started} ms`);
          expect(one.code, one.err).to.equal(0);
          return Number(plain(join(work, to), 'rev-list', '--count', 'HEAD').stdout);
        };
        expect(await timed('c-full')).to.equal(total);
        expect(await timed('c-shallow', '--depth=3')).to.equal(3);
        expect(await timed('c-partial', '--filter=blob:none', '--no-checkout')).to.equal(total);
        expect(await timed('c-single', '--single-branch', '--branch=client/1')).to.equal(commits + 1);
        expect(plain(join(work, 'c-single'), 'branch', '-r').stdout.trim().split('\n')).to.have.length(1);
        const missing = plain(join(work, 'c-partial'), 'rev-list', '--objects', '--all', '--missing=print').stdout;
        expect(missing.split('\n').filter((line) => line.startsWith('?')).length).to.be.above(100);
        let bundle;
        for (let tries = 0; tries < 1000; tries++) {
          bundle = await fetch(`${server.base}/root/history/archive/main.bundle`);
          if (bundle.status === 200 && bundle.headers.get('content-type') !== 'text/html; charset=utf-8') break;
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
        writeFileSync(join(work, 'main.bundle'), Buffer.from(await bundle.arrayBuffer()));
        const unbundled = plain(work, 'clone', '-q', '-b', 'main', 'main.bundle', 'c-bundle');
        expect(unbundled.status, unbundled.stderr).to.equal(0);
        expect(Number(plain(join(work, 'c-bundle'), 'rev-list', '--count', 'HEAD').stdout)).to.equal(total);
      });

      it(`${clones} identical clones cost one pack`, async () => {
        // a branch of its own: nothing of this was asked for before
        await make('popular');
        await server.git(['push', '-q', url('popular'), 'main'], { cwd: join(work, 'history') });
        writeFileSync(calls, '');
        const started = Date.now();
        const waiting = Array.from({ length: clones }, (_, at) => at);
        const outcomes = [];
        await Promise.all(
          Array.from({ length: 10 }, async () => {
            for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
              outcomes.push(await clone('popular', `popular-${at}`, '--bare'));
              rmSync(join(work, `popular-${at}`), { recursive: true, force: true });
            }
          }),
        );
        const runs = readFileSync(calls, 'utf8')
          .split('\n')
          .filter((line) => /upload-pack/.test(line)).length;
        say(`${clones} clones: ${Date.now() - started} ms, upload-pack ran ${runs} times`);
        expect(outcomes.filter((one) => one.code !== 0).map((one) => one.err)).to.equal([]);
        expect(runs).to.equal(1);
      });
    },
  );
