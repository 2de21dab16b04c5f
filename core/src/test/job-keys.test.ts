import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineJob } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { createJobs, queueSettings } from '../jobs/index.js';
import { engines, plainCall, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const greet = defineJob<{ name: string }>('greetings.greet');

for (const engine of engines) {
  describe(`unique keys of jobs on ${engine.name}`, () => {
    let test: TestDatabase;
    let ran: string[];
    beforeEach(async () => {
      test = await engine.open();
      ran = [];
    });
    afterEach(() => test.close());
    const handling = (database: KernelDatabase = test.database) => {
      const settings = queueSettings.validate({}).value;
      const jobs = createJobs({ database, broker: test.broker, log: test.log, call: plainCall, settings });
      jobs.handle('greetings', greet, {}, async (payload) => void ran.push((payload as { name: string }).name));
      return jobs;
    };

    it('stores a unique key once while it waits', async () => {
      const jobs = handling();
      const first = await jobs.enqueue(greet, { name: '1' }, { uniqueKey: 'k' });
      expect(await jobs.enqueue(greet, { name: '2' }, { uniqueKey: 'k' })).to.equal(first);
      expect(await jobs.runDue()).to.equal(1);
      expect(await jobs.enqueue(greet, { name: '3' }, { uniqueKey: 'k' })).to.not.equal(first);
      expect(await jobs.runDue()).to.equal(1);
      expect(ran).to.equal(['1', '3']);
    });

    it('a unique key that waits comes at the earliest time that was asked for', async () => {
      const jobs = handling();
      const hour = 3_600_000;
      const first = await jobs.enqueue(greet, { name: '1' }, { uniqueKey: 'k', runAt: Date.now() + hour });
      await jobs.enqueue(greet, { name: '2' }, { uniqueKey: 'k', runAt: Date.now() + 2 * hour });
      expect(await jobs.runDue()).to.equal(0);
      expect(await jobs.enqueue(greet, { name: '3' }, { uniqueKey: 'k' })).to.equal(first);
      expect(await jobs.runDue()).to.equal(1);
      expect(ran).to.equal(['1']);
    });

    it('many at once with one unique key make one job', async () => {
      const jobs = handling();
      const other = handling(await test.another());
      const ids = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? jobs : other).enqueue(greet, { name: 'x' }, { uniqueKey: 'same' }),
        ),
      );
      expect(new Set(ids).size).to.equal(1);
    });
  });
}
