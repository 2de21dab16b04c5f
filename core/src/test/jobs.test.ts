// Load: sleeps, until leases are over and idle processes have shown that they are.
import { spawn } from 'node:child_process';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JobKind } from '@mortise/plugin-sdk';
import { engines, goneOwner, inAnHour, knowsProcesses, restingVersion, until, type TestDatabase } from './data-kit.js';
import { greet, JobsKit, yearly } from './jobs-kit.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

interface Row {
  id: number;
  state: string;
  attempts: number;
  run_at: number;
  error: string | null;
  progress_done: number | null;
  progress_text: string | null;
}

for (const engine of engines) {
  describe(`jobs on ${engine.name}`, () => {
    let test: TestDatabase;
    let kit: JobsKit;
    beforeEach(async () => {
      test = await engine.open();
      kit = new JobsKit(test);
    });
    afterEach(async () => {
      await kit.close();
      await test.close();
    });
    const rows = () => test.database.knex()('job').orderBy('id').select<Row[]>();

    it('runs a job soon after the commit that stored it, and not when that was rolled back', async () => {
      const jobs = kit.handling(kit.open());
      await jobs.start();
      let quickest = Infinity;
      for (let time = 1; time <= 5; time++) {
        const begin = Date.now();
        await jobs.enqueue(greet, { name: 'Ada' });
        await until(() => kit.ran.length === time);
        quickest = Math.min(quickest, Date.now() - begin);
      }
      // On MySQL the regular look comes every five seconds only.
      expect(quickest).to.be.below(3000);
      kit.ran.splice(1);
      const failing = test.database.write(async () => {
        await jobs.enqueue(greet, { name: 'nobody' });
        throw new Error('no');
      });
      await expect(failing).to.reject('no');
      await jobs.enqueue(greet, { name: 'Grace' });
      await until(() => kit.ran.length === 2);
      expect(kit.ran).to.equal(['Ada', 'Grace']);
      await until(async () => (await rows()).every((row) => row.state === 'done'));
    });

    it('takes higher priorities first, then the oldest', async () => {
      const jobs = kit.handling(kit.open(test.database, { MAX_WORKERS: 1 }), { concurrency: 1 });
      for (const [name, priority] of [
        ['a', 0],
        ['b', 5],
        ['c', 0],
        ['d', 9],
        ['e', -1],
      ] as const)
        await jobs.enqueue(greet, { name }, { priority });
      await jobs.start();
      await until(() => kit.ran.length === 5);
      expect(kit.ran).to.equal(['d', 'b', 'a', 'c', 'e']);
    });

    it('runs nothing before its time; tests travel', async () => {
      const jobs = kit.handling(kit.open());
      const hour = 3_600_000;
      await jobs.enqueue(greet, { name: 'later' }, { runAt: Date.now() + hour });
      expect(await jobs.runDue()).to.equal(0);
      expect(await jobs.runDue(Date.now() + hour + 1)).to.equal(1);
      await jobs.start();
      const runAt = Date.now() + 1500;
      await jobs.enqueue(greet, { name: 'soon' }, { runAt });
      await until(() => kit.ran.length === 2);
      expect(Date.now()).to.be.at.least(runAt);
    });

    it('tries a failed job again after its back-off, and keeps it with its error in the end', async () => {
      const attempts: number[] = [];
      const jobs = kit.handling(
        kit.open(),
        { attempts: 3, backoff: (attempt) => attempt * 1000 },
        (_payload, { attempt }) => {
          attempts.push(attempt);
          throw new Error(`no ${attempt}`);
        },
      );
      await jobs.enqueue(greet, { name: 'x' });
      const start = Date.now();
      expect(await jobs.runDue(start)).to.equal(1);
      expect(await jobs.runDue(start + 500)).to.equal(0);
      expect(await jobs.runDue(start + 1001)).to.equal(1);
      expect(await jobs.runDue(start + 2000)).to.equal(0);
      expect(await jobs.runDue(start + 4000)).to.equal(1);
      expect(await jobs.runDue(start + 1e9)).to.equal(0);
      expect(attempts).to.equal([1, 2, 3]);
      const [row] = await rows();
      expect(row).to.include({ state: 'failed', attempts: 3 });
      expect(row!.error).to.contain('no 3');
    });

    it('runs as many of a kind at once as the kind allows', async () => {
      let now = 0;
      let maximum = 0;
      const jobs = kit.handling(kit.open(), { concurrency: 3 }, async ({ name }) => {
        maximum = Math.max(maximum, ++now);
        await until(() => maximum >= 3);
        // time for a fourth
        await new Promise((resolve) => setTimeout(resolve, 100));
        now--;
        kit.ran.push(name);
      });
      await jobs.start();
      await Promise.all(Array.from({ length: 12 }, (_, index) => jobs.enqueue(greet, { name: `${index}` })));
      await until(() => kit.ran.length === 12);
      expect(maximum).to.equal(3);
    });

    it('two processes share the work, each job once', async () => {
      const one = kit.handling(kit.open(), { concurrency: 2 }, async ({ name }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        kit.ran.push(`a${name}`);
      });
      const two = kit.handling(kit.open(await test.another()), { concurrency: 2 }, async ({ name }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        kit.ran.push(`b${name}`);
      });
      await Promise.all([one.start(), two.start()]);
      for (let index = 0; index < 60; index++) await one.enqueue(greet, { name: `${index}` });
      await until(() => kit.ran.length >= 60);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(kit.ran.map((name) => Number(name.slice(1))).sort((a, b) => a - b)).to.equal(
        Array.from({ length: 60 }, (_, index) => index),
      );
    });

    it('a job whose process is killed is done by another', async () => {
      // renewed each third of it: a process that stands still for some seconds keeps it all the same
      const leaseMs = 12_000;
      const script = `
        import { createDatabase } from ${JSON.stringify(new URL('../database/index.js', import.meta.url).href)};
        import { createJobs } from ${JSON.stringify(new URL('../jobs/index.js', import.meta.url).href)};
        const log = { debug() {}, info() {}, warn() {}, error() {} };
        const database = await createDatabase({ settings: ${JSON.stringify(test.settings)}, workDir: ${JSON.stringify(test.workDir)}, log });
        const broker = { publish: async () => {}, subscribe: () => () => {}, close: async () => {} };
        const jobs = createJobs({ database, broker, log, call: (owner, what, call) => call(), settings: { MAX_WORKERS: 0, DRAIN_TIME: 100, KEEP_DONE: 1000, JOB_TIMEOUT: 60000 } });
        jobs.handle('greetings', { id: 'greetings.greet' }, { leaseMs: ${leaseMs} }, () => { process.stdout.write('running\\n'); return new Promise(() => setInterval(() => {}, 1000)); });
        await jobs.start();
        await jobs.enqueue({ id: 'greetings.greet' }, { name: 'orphan' });`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (text: Buffer) => (output += text.toString()));
      await until(() => output.includes('running'));
      const lease = async () => {
        const row = await test.database.knex()('job').first<{ lease_until: number }>('lease_until');
        return row!.lease_until;
      };
      const first = await lease();
      const jobs = kit.handling(
        kit.open(),
        { leaseMs },
        ({ name }, { attempt }) => void kit.ran.push(`${name} ${attempt}`),
      );
      await jobs.start();
      // It renews its lease as long as it lives.
      await until(async () => Date.now() > first + 500 && (await lease()) > first);
      expect(kit.ran).to.equal([]);
      child.kill('SIGKILL');
      await until(() => kit.ran.length === 1);
      expect(kit.ran).to.equal(['orphan 2']);
    });

    it(
      'F: a start goes on at once with what a killed process of this machine had',
      { skip: !knowsProcesses },
      async () => {
        const jobs = kit.handling(kit.open(), {}, ({ name }) => void kit.ran.push(name));
        const owner = goneOwner();
        await test.database.write(async () => {
          for (const [name, attempts, lease_owner] of [
            ['once', 1, owner],
            ['ends each process', 2, owner],
            ['elsewhere', 1, owner.replace(/^./, '-')],
          ] as const)
            await test.database
              .knex()('job')
              .insert({
                ...{ name: greet.id, payload: JSON.stringify({ name }), state: 'running', attempts, lease_owner },
                ...{ run_at: 0, created_at: 0, lease_until: inAnHour() },
              });
        });
        await jobs.start();
        await until(async () => (await rows()).some(({ state }) => state === 'done'));
        expect(kit.ran).to.equal(['once']);
        expect((await rows()).filter(({ state }) => state === 'running')).to.have.length(2);
      },
    );

    it('aborts the signal when the lease is lost, and shows progress', async () => {
      let reason: unknown;
      const jobs = kit.handling(kit.open(), { leaseMs: 150 }, async (_payload, { progress, signal, id }) => {
        await progress(3, 10, 'three of ten');
        const [row] = await rows();
        expect(row).to.include({ progress_done: 3, progress_text: 'three of ten', id: Number(id) });
        await test.database.write(async () => test.database.knex()('job').update({ lease_owner: 'thief' }));
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reason = signal.reason;
      });
      await jobs.start();
      await jobs.enqueue(greet, { name: 'x' });
      await until(() => reason !== undefined);
      expect((reason as Error).message).to.equal('the lease was lost');
    });

    it('stop lets jobs end, aborts what takes too long and gives it back', async () => {
      let finish: (value: unknown) => void = () => undefined;
      let begun = 0;
      const jobs = kit.handling(kit.open(test.database, { DRAIN_TIME: 1000 }), {}, async ({ name }, { signal }) => {
        begun++;
        if (name === 'quick') await new Promise((resolve) => (finish = resolve));
        else
          await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
        kit.ran.push(name);
      });
      await jobs.start();
      await jobs.enqueue(greet, { name: 'quick' });
      await jobs.enqueue(greet, { name: 'slow' });
      await until(() => begun === 2);
      expect((await rows()).map((row) => row.state)).to.equal(['running', 'running']);
      const stopping = jobs.stop();
      finish(undefined);
      await stopping;
      expect(kit.ran).to.equal(['quick']);
      expect((await rows()).map(({ state, attempts }) => ({ state, attempts }))).to.equal([
        { state: 'done', attempts: 1 },
        { state: 'waiting', attempts: 0 },
      ]);
    });

    it('forgets all that ended long ago, however many they are', async () => {
      const ended = { name: greet.id, payload: '{}', state: 'done', rank: 0, run_at: 0, created_at: 0 };
      const long = Array.from({ length: 2100 }, () => ({ ...ended, ended_at: 1 }));
      await test.database.write(async () => {
        for (let at = 0; at < long.length; at += 100)
          await test.database
            .knex()('job')
            .insert(long.slice(at, at + 100));
        await test.database
          .knex()('job')
          .insert({ ...ended, ended_at: Date.now() });
      });
      await kit.handling(kit.open()).start();
      await until(async () => (await rows()).length === 1);
    });

    it('an idle runner writes nothing', async () => {
      const jobs = kit.handling(kit.open());
      jobs.schedule('greetings', 'yearly', yearly, greet, { name: 'happy new year' });
      await jobs.start();
      await jobs.enqueue(greet, { name: 'x' });
      await until(async () => (await rows()).every((row) => row.state === 'done'));
      const version = await restingVersion(test.database);
      await new Promise((resolve) => setTimeout(resolve, 6000));
      await test.database.syncVersions();
      expect(test.database.dataVersion()).to.equal(version);
    });

    it('S5: a job that does not end is told to, and its slot is free soon after', async () => {
      const jobs = kit.open(test.database, { MAX_WORKERS: 1, JOB_TIMEOUT: 40 });
      const reasons: string[] = [];
      kit.handling(jobs, { attempts: 1 }, ({ name }, { signal }) => {
        kit.ran.push(name);
        if (name === 'deaf') return new Promise<void>(() => {});
        if (name === 'obedient')
          return new Promise<void>((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reasons.push((signal.reason as Error).message);
              reject(new Error('given up'));
            });
          });
      });
      for (const name of ['deaf', 'obedient', 'next']) await jobs.enqueue(greet, { name });
      await jobs.start();
      await until(async () => (await rows()).every(({ state }) => state === 'failed' || state === 'done'));
      expect(kit.ran).to.equal(['deaf', 'obedient', 'next']);
      expect((await rows()).map(({ state }) => state)).to.equal(['failed', 'failed', 'done']);
      expect(reasons).to.equal(['the job took longer than 40 ms']);
      expect((await rows()).map(({ error }) => error?.split('\n')[0] ?? null)).to.equal([
        'Error: the job took longer than 40 ms',
        'Error: given up',
        null,
      ]);
    });

    it('S5: a kind has a time limit of its own', async () => {
      const jobs = kit.handling(
        kit.open(test.database, { JOB_TIMEOUT: 1 }),
        { timeoutMs: 60_000 },
        async ({ name }) => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          kit.ran.push(name);
        },
      );
      await jobs.enqueue(greet, { name: 'slow' });
      await jobs.runDue();
      expect((await rows()).map(({ state }) => state)).to.equal(['done']);
    });

    it('S5: one group takes no more than its share, however many of its jobs wait, in however many processes', async () => {
      const kind: JobKind = { concurrency: 4, perGroup: 2 };
      let free = () => {};
      const gate = new Promise<void>((resolve) => (free = resolve));
      const running = new Set<string>();
      const counts: number[] = [];
      const work = async ({ name }: { name: string }) => {
        running.add(name);
        counts.push([...running].filter((one) => one.startsWith('greedy')).length);
        if (name.startsWith('greedy')) await gate;
        running.delete(name);
        kit.ran.push(name);
      };
      const both = [kit.handling(kit.open(), kind, work), kit.handling(kit.open(), kind, work)];
      for (let at = 0; at < 60; at++) await both[0]!.enqueue(greet, { name: `greedy ${at}` }, { group: 'a' });
      for (const jobs of both) await jobs.start();
      await until(() => running.size >= 2);
      for (const group of ['b', 'c', undefined]) await both[1]!.enqueue(greet, { name: `by ${group}` }, { group });
      await until(() => kit.ran.length === 3);
      expect([...kit.ran].sort()).to.equal(['by b', 'by c', 'by undefined']);
      free();
      await until(() => kit.ran.length === 63);
      // two processes that claim at the same moment on MySQL may each see one place
      expect(Math.max(...counts)).to.be.at.most(engine.name === 'SQLite' ? 2 : 4);
    });
  });
}
