import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, jobs, storage } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { actorOf, createAccount } from '@mortise/accounts/testing';
import type { Account } from '@mortise/accounts/api';
import { createRepository } from '@mortise/repositories/testing';
import type { Repository } from '@mortise/repositories/api';
import { cleanUpLogs, type ReportedLogRow } from '../contract/logs.js';
import { taskLogs } from '../api.js';
import { LogRow } from '../models/log.js';
import { LogSegmentRow } from '../models/log-segment.js';
import { LogTailRow } from '../models/log-tail.js';
import { TaskRow } from '../models/task.js';
import { endTask, makeTask } from './rows.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const s3 = process.env.MORTISE_TEST_S3;
if (!s3) console.log('skipped: the tests with an S3-compatible store need MORTISE_TEST_S3');

const seconds = Date.UTC(2026, 6, 1, 10) / 1000;
const row = (content: string, at = 0): ReportedLogRow => ({
  time: { seconds: BigInt(seconds + at), nanos: 123_456_789 },
  content,
});
const rows = (from: number, count: number, width = 20) =>
  Array.from({ length: count }, (_, at) => row(`line ${from + at} ${'x'.repeat(width)}`, from + at));
const inStore = (STORAGE_TYPE: 'local' | 'minio'): Record<string, Record<string, unknown>> =>
  STORAGE_TYPE === 'local'
    ? {}
    : {
        storage: {
          STORAGE_TYPE,
          MINIO_ENDPOINT: new URL(s3!).host,
          MINIO_ACCESS_KEY_ID: 'test',
          MINIO_SECRET_ACCESS_KEY: 'test-secret',
          MINIO_BUCKET: `mortise-${randomBytes(5).toString('hex')}`,
        },
      };

for (const kind of ['local', 'minio'] as const)
  describe(
    `logs of tasks, kept on ${kind === 'local' ? 'a disk' : 'an S3-compatible store'}`,
    {
      timeout: 120_000,
      skip: kind === 'minio' && !s3,
    },
    () => {
      let host: TestHost;
      let ada: Account;
      let repository: Repository;
      const logs = () => host.services.get(taskLogs);
      const db = () => host.services.get(database);
      const take = () => makeTask(host, repository);
      const end = (from: number) => ({ index: from, noMore: true });
      const more = (from: number) => ({ index: from, noMore: false });
      const wholeOf = async (taskId: number) => {
        const found = (await logs().text(taskId))!;
        return Buffer.isBuffer(found) ? found.toString() : text(found);
      };
      const segments = (taskId: number) => db().query(LogSegmentRow).where('task_id', taskId).orderBy('first_line');

      before(async () => {
        host = await startHost({ plugins: ['actions'], settings: { actions: { LOG_MAX_SIZE: 8 }, ...inStore(kind) } });
        ada = await createAccount(host, 'ada');
        repository = await createRepository(host, ada, 'mill');
      });
      after(() => host.close());

      it('takes lines in their order, each once', async () => {
        const { task } = await take();
        expect(await logs().append(task.id, [], more(0))).to.equal(0);
        expect(await logs().append(task.id, rows(0, 3), more(0))).to.equal(3);
        expect(await logs().append(task.id, rows(1, 4), more(1)), 'known lines are dropped').to.equal(5);
        expect(await logs().append(task.id, rows(7, 2), more(7)), 'a gap stores nothing').to.equal(5);
        expect(await logs().append(task.id, rows(0, 2), more(0))).to.equal(5);
        expect(await logs().append(task.id, rows(9, 1), end(9)), 'an end behind a gap ends nothing').to.equal(5);
        expect((await logs().states([task.id])).get(task.id)).to.include({ lines: 5, isSealed: false });
        expect(await logs().append(task.id, rows(5, 1), end(5))).to.equal(6);
        expect(await logs().append(task.id, [], end(6)), 'the end may be told again').to.equal(6);
        expect(await logs().append(task.id, rows(4, 2), end(4))).to.equal(6);
        const late = await logs()
          .append(task.id, rows(6, 1), more(6))
          .catch((error: unknown) => error);
        expect(late).to.include({ code: 'conflict' });
        await host.settle();
        const lines = await logs().read(task.id, { from: 0, limit: 100 });
        expect(lines.map(({ message }) => message.split(' ')[1])).to.equal(['0', '1', '2', '3', '4', '5']);
        expect(lines[2]).to.include({ index: 2, timestamp: seconds + 2 + 0.1234567 });
      });

      it('takes the same rows at the same time once', async () => {
        const { task } = await take();
        const acks = await Promise.all([1, 2, 3, 4].map(() => logs().append(task.id, rows(0, 10), more(0))));
        expect(acks).to.equal([10, 10, 10, 10]);
        expect(await logs().read(task.id, { from: 0, limit: 100 })).to.have.length(10);
      });

      it('keeps a line on one line, within 64 KiB, and any time', async () => {
        const { task } = await take();
        const long = `${'y'.repeat(65_535)}ü and more`;
        const odd = { time: { seconds: 1n << 62n, nanos: -5 }, content: '\ud800 lone' };
        await logs().append(task.id, [row('a\nb\r\nc'), row(long), odd, { content: '' }], end(0));
        await host.settle();
        const [first, second, third, fourth] = await logs().read(task.id, { from: 0, limit: 10 });
        expect(first!.message).to.equal('a\\nb\r\\nc');
        expect(second!.message).to.equal('y'.repeat(65_535));
        expect(third!.message).to.equal('\ufffd lone');
        expect(fourth).to.include({ index: 3, message: '', timestamp: 0 });
        const whole = await wholeOf(task.id);
        expect(whole.split('\n')[0]).to.equal('2026-07-01T10:00:00.1234567Z a\\nb\r\\nc');
      });

      it('moves what has grown long to the storage, and reads any part of it', async () => {
        const { task } = await take();
        const sent: string[] = [];
        for (let from = 0; from < 6000; from += 1000) {
          const some = rows(from, 1000, 400);
          sent.push(...some.map(({ content }) => content));
          await logs().append(task.id, some, more(from));
        }
        await host.settle();
        expect((await segments(task.id)).length, 'while it is written').to.be.above(0);
        expect(await db().query(LogTailRow).where('task_id', task.id).resultSize()).to.be.below(4);
        const read = async (from: number, limit: number) =>
          (await logs().read(task.id, { from, limit })).map(({ message }) => message);
        for (const from of [0, 1, 299, 300, 1023, 2999, 5998])
          expect(await read(from, 3)).to.equal(sent.slice(from, from + 3));
        expect(await read(6000, 3)).to.equal([]);
        expect((await read(0, 6000)).length, 'at most 1 MiB at once').to.be.between(2000, 2700);
        await logs().append(task.id, [], end(6000));
        await host.settle();
        expect(await db().query(LogTailRow).where('task_id', task.id).resultSize()).to.equal(0);
        const [first] = await segments(task.id);
        expect(first!.stored_bytes).to.be.below(first!.bytes / 5);
        const whole = await wholeOf(task.id);
        expect(whole.split('\n').map((line) => line.slice(29))).to.equal([...sent, '']);
      });

      it('keeps a log that never ends within its limit, and says so', async () => {
        const { task } = await take();
        const wide = Array.from({ length: 100 }, () => row('z'.repeat(100_000)));
        for (let from = 0; from < 400; from += 100)
          expect(await logs().append(task.id, wide, more(from))).to.equal(from + 100);
        expect(await logs().append(task.id, [], end(400))).to.equal(400);
        await host.settle();
        const state = (await logs().states([task.id])).get(task.id)!;
        expect(state.lines).to.equal(400);
        expect(state.bytes).to.be.below(8 * 1024 * 1024 + 200);
        const kept = (await db().query(LogRow).findById(task.id))!.kept_lines;
        expect((await logs().read(task.id, { from: kept - 1, limit: 5 })).map(({ message }) => message)).to.equal([
          'The log is larger than 8388608 bytes; what follows is not kept.',
        ]);
      });

      it('goes on where a server was killed while it moved lines', async () => {
        const { task } = await take();
        await logs().append(task.id, rows(0, 50), end(0));
        // killed after the object was stored and before the transaction
        const area = host.services.get(storage).area('actions-log');
        const folder = `${(task.id % 256).toString(16).padStart(2, '0')}/${task.id}/`;
        await area.put(`${folder}0-aaaaaaaaaaaa.log.zst`, Buffer.from('half'));
        await host.settle();
        expect(await logs().read(task.id, { from: 0, limit: 100 })).to.have.length(50);
        const keys: string[] = [];
        for await (const { key } of area.list(folder)) keys.push(key);
        expect(keys).to.have.length(2);
        await db().write(() => logs().forget([task.id]));
        await host.settle();
        for await (const { key } of area.list(folder)) expect(key, 'nothing stays behind').to.equal('');
        expect(await db().query(LogRow).findById(task.id)).to.be.undefined();
        expect(await logs().text(task.id)).to.be.undefined();
      });

      it('removes logs that are too old, or whose task is gone', async () => {
        const [old, lost, fresh] = [await take(), await take(), await take()];
        for (const { task } of [old, lost, fresh]) await logs().append(task.id, rows(0, 5), end(0));
        await host.settle();
        // what was read is kept, and not for longer than there is a log
        for (const { task } of [old, lost]) expect(await wholeOf(task.id)).to.contain('line 4');
        await db().write(async () => {
          await db()
            .query(LogRow)
            .patch({ updated_at: Date.now() - 366 * 86_400_000 })
            .where('task_id', old.task.id);
          await db().query(TaskRow).deleteById(lost.task.id);
        });
        await host.services.get(jobs).enqueue(cleanUpLogs, {});
        await host.settle();
        const states = await logs().states([old, lost, fresh].map(({ task }) => task.id));
        expect(states.get(old.task.id)).to.include({ isExpired: true });
        expect(states.has(lost.task.id)).to.be.false();
        expect(states.get(fresh.task.id)).to.include({ isExpired: false });
        expect(await logs().text(old.task.id)).to.be.undefined();
        expect(await logs().read(old.task.id, { from: 0, limit: 9 })).to.equal([]);
        expect([await logs().text(lost.task.id), await segments(old.task.id)]).to.equal([undefined, []]);
        expect(await logs().read(fresh.task.id, { from: 0, limit: 9 })).to.have.length(5);
      });

      it('completes logs that a runner left behind', async () => {
        const [left, running] = [await take(), await take()];
        for (const { task } of [left, running]) await logs().append(task.id, rows(0, 5), { index: 0, noMore: false });
        const ended = { stopped_at: Date.now() - 7_200_000 };
        await db().write(() => db().query(TaskRow).findById(left.task.id).patch(ended));
        await host.services.get(jobs).enqueue(cleanUpLogs, {});
        await host.settle();
        const stages = await db().query(LogRow).findByIds([left.task.id, running.task.id]).orderBy('task_id');
        expect(stages.map(({ stage }) => stage)).to.equal(['sealed', 'open']);
      });

      it('gives the log of a job and of all jobs of a run (ACT-45, ACT-65)', async () => {
        const first = await makeTask(host, repository, { jobName: 'build (1, "x")' });
        const second = await makeTask(host, repository, { of: first, jobName: 'test' });
        const silent = await makeTask(host, repository, { of: first, jobName: 'silent' });
        await logs().append(first.task.id, rows(0, 2, 0), end(0));
        await logs().append(second.task.id, rows(0, 1, 0), more(0));
        await endTask(host, first);
        const base = `/api/v1/repos/ada/mill/actions`;
        const client = host.as(actorOf(host, ada));
        const one = await client.inject(`${base}/jobs/${first.job.id}/logs`);
        expect([one.statusCode, one.headers['content-type']]).to.equal([200, 'text/plain; charset=utf-8']);
        expect(one.headers['content-disposition']).to.contain(`filename="build-build (1, _x_)-${first.task.id}.log"`);
        expect(one.payload).to.equal('2026-07-01T10:00:00.1234567Z line 0 \n2026-07-01T10:00:01.1234567Z line 1 \n');
        expect((await client.inject(`${base}/jobs/${silent.job.id}/logs`)).statusCode).to.equal(404);
        expect((await client.inject(`${base}/jobs/999999/logs`)).statusCode).to.equal(404);
        const all = await client.inject(`${base}/runs/${first.run.id}/logs`);
        expect([all.statusCode, all.headers['content-type']]).to.equal([200, 'application/zip']);
        expect(all.headers['content-disposition']).to.contain(`filename="build-run-${first.run.id}-logs.zip"`);
        const names = [...all.rawPayload.toString('latin1').matchAll(/PK\x01\x02[^]{42}([ -~]+?\.log)/g)].map(
          ([, name]) => name,
        );
        expect(names).to.equal([`build-build (1, _x_)-${first.task.id}.log`, `build-test-${second.task.id}.log`]);
        const none = await makeTask(host, repository);
        expect((await client.inject(`${base}/runs/${none.run.id}/logs`)).statusCode).to.equal(404);
      });
    },
  );
