import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import {
  database,
  events,
  jobs,
  storage,
  type Broker,
  type ChannelAddress,
  type Channels,
  type Logger,
} from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';
import { createRepository } from '@mortise/repositories/testing';
import { cleanUpLogs } from '../contract/logs.js';
import { runsDeleted, taskLogs } from '../api.js';
import { LogSegmentRow } from '../models/log-segment.js';
import { LogWatchers, type LogChange } from '../services/logs/log-watchers.js';
import { makeTask } from './rows.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Two processes that hear each other. */
function processes() {
  const handlers = new Set<(message: unknown) => void>();
  const told: { readonly process: number; readonly to: ChannelAddress; readonly change: LogChange }[] = [];
  const log = { warn: () => undefined } as unknown as Logger;
  const broker: Broker = {
    publish: (_topic, message) => {
      for (const handler of handlers) handler(message);
      return Promise.resolve();
    },
    subscribe: (_topic, handler) => {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  };
  const channelsOf = (process: number): Channels => ({
    publish: (_key, to, change) => {
      told.push({ process, to, change: change as LogChange });
      return Promise.resolve();
    },
    recheck: () => Promise.resolve(),
  });
  return { told, one: new LogWatchers(broker, channelsOf(1), log), two: new LogWatchers(broker, channelsOf(2), log) };
}

describe('who looks at a log', () => {
  it('is told of new lines, whichever process took them', () => {
    const { told, one, two } = processes();
    one.changed({ taskId: 1, lines: 1, isSealed: false });
    expect(told, 'nobody looks').to.equal([]);
    two.watch(1, 7);
    two.watch(1, 8);
    two.watch(2, 9);
    one.changed({ taskId: 1, lines: 2, isSealed: false });
    expect(told).to.equal([{ process: 2, to: { userIds: [7, 8] }, change: { taskId: 1, lines: 2, isSealed: false } }]);
    one.changed({ taskId: 1, lines: 3, isSealed: true });
    one.changed({ taskId: 1, lines: 3, isSealed: true });
    expect(told, 'the end is told once').to.have.length(2);
    two.close();
    one.changed({ taskId: 2, lines: 1, isSealed: false });
    expect(told).to.have.length(2);
  });
});

describe('what a killed server left of logs', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['actions'] });
  });
  after(() => host.close());

  it('is removed in the night, a day later; what a row knows stays', async () => {
    const repository = await createRepository(host, await createAccount(host, 'ada'), 'mill');
    const { task } = await makeTask(host, repository);
    const logs = host.services.get(taskLogs);
    await logs.append(task.id, [{ content: 'kept' }], { index: 0, noMore: true });
    await host.settle();
    const segment = await host.services.get(database).query(LogSegmentRow).findOne({ task_id: task.id });
    const folder = join(host.workDir, 'data', 'storage', 'actions-log');
    await mkdir(join(folder, '05', '9'), { recursive: true });
    const old = new Date(Date.now() - 2 * 86_400_000);
    await writeFile(join(folder, '05', '9', '0-aa.log.zst'), 'half');
    await writeFile(join(folder, '05', '9', '0-bb.log.zst'), 'just now');
    for (const name of ['05/9/0-aa.log.zst', segment!.key]) await utimes(join(folder, name), old, old);
    await host.services.get(jobs).enqueue(cleanUpLogs, {});
    await host.settle();
    const keys: string[] = [];
    for await (const { key } of host.services.get(storage).area('actions-log').list()) keys.push(key);
    expect(keys.sort()).to.equal(['05/9/0-bb.log.zst', segment!.key].sort());
    expect(await logs.read(task.id, { from: 0, limit: 5 })).to.have.length(1);
  });

  it('is nothing where the run was deleted', async () => {
    const repository = await createRepository(host, await createAccount(host, 'ben'), 'mill');
    const { run, task } = await makeTask(host, repository);
    const logs = host.services.get(taskLogs);
    await logs.append(task.id, [{ content: 'gone' }], { index: 0, noMore: true });
    await host.settle();
    const segments = () => host.services.get(database).query(LogSegmentRow).where('task_id', task.id);
    const [segment] = await segments();
    const deleted = { repositoryId: repository.id, runIds: [run.id], taskIds: [task.id] };
    await host.services.get(database).write(() => host.services.get(events).emit(runsDeleted, deleted));
    expect((await logs.states([task.id])).size, 'at once').to.equal(0);
    await host.settle();
    expect(await segments()).to.equal([]);
    expect(await host.services.get(storage).area('actions-log').stat(segment!.key)).to.be.undefined();
  });
});
