import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { ActivityEvent } from '@mortise/activity-events/api';
import { ActivityListener, type ListenerDeps } from '../events/activity-listener.js';
import type { HookDispatcher } from '../services/hook-dispatcher.js';

// Database: SQLite alone: what is stored where is said by stand-ins
export const lab = Lab.script();
const { describe, it } = lab;

describe('deliveries of one large change', () => {
  it('are made by jobs after the first hundred, so that others need not wait for the transaction', async () => {
    const transaction = {};
    const atCommit: (() => void)[] = [];
    const queued: number[] = [];
    const made: number[] = [];
    const deps = {
      database: { knex: () => transaction, afterCommit: (work: () => void) => void atCommit.push(work) },
      jobs: {
        enqueue: async (_job: unknown, { activityEvent }: { activityEvent: { id: number } }) =>
          queued.push(activityEvent.id),
      },
      kinds: { get: () => ({ describe: () => undefined }) },
      languages: { inDefault: (work: () => unknown) => work() },
      options: {},
    } as unknown as ListenerDeps;
    const listener = new ActivityListener(deps);
    listener.handle = async ([one]) => void made.push(Number(one!.id));
    const dispatcher = { mayBeHeard: () => true } as unknown as HookDispatcher;
    const nothing = () => {};
    const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
    const list = Array.from(
      { length: 150 },
      (_, id) => ({ id, kind: 'project_card', action: 'deleted', resource: {} }) as unknown as ActivityEvent,
    );
    for (const one of list) await listener.record([one], dispatcher, log);
    expect([made.length, queued.length, queued[0]]).to.equal([100, 50, 100]);
    for (const work of atCommit.splice(0)) work();
    await listener.record(list.slice(0, 1), dispatcher, log);
    expect([made.length, queued.length]).to.equal([101, 50]);
  });
});
