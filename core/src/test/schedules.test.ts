import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineJob } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { engines, type TestDatabase } from './data-kit.js';
import { greet, JobsKit, yearly } from './jobs-kit.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const tick = defineJob<{ name: string }>('greetings.tick');

for (const engine of engines) {
  describe(`schedules on ${engine.name}`, () => {
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

    it('enqueue once however many processes look, and make up for missed times once', async () => {
      const make = async (database: KernelDatabase) => {
        const jobs = kit.open(database);
        jobs.handle('greetings', tick, {}, async (payload) => void kit.ran.push((payload as { name: string }).name));
        jobs.schedule('greetings', 'hourly', '0 * * * *', tick, { name: 'tick' });
        return jobs;
      };
      const one = await make(test.database);
      const two = await make(await test.another());
      expect(await one.runDue()).to.equal(0);
      const later = Date.now() + 3 * 3_600_000;
      const counts = await Promise.all([one.runDue(later), two.runDue(later)]);
      expect(counts[0]! + counts[1]!).to.equal(1);
      expect(await two.runDue(later)).to.equal(0);
      expect(await two.runDue(later + 3_600_000)).to.equal(1);
      expect(kit.ran).to.equal(['tick', 'tick']);
    });

    it('tells what is scheduled and how often it kit.ran, and does it at once when asked', async () => {
      const jobs = kit.handling(kit.open());
      jobs.schedule('greetings', 'every-hour', '0 * * * *', greet, { name: 'hello' });
      jobs.schedule('elsewhere', 'rare', yearly, greet, { name: 'happy new year' });
      const now = Date.now();
      const [rare, hourly] = await jobs.tasks.list();
      expect([rare?.name, hourly?.name, hourly?.schedule]).to.equal([
        'elsewhere_rare',
        'greetings_every_hour',
        '0 * * * *',
      ]);
      expect([hourly?.runs, hourly?.lastAt]).to.equal([0, undefined]);
      expect(hourly!.nextAt).to.be.between(now - 1, Date.now() + 3_600_001);

      expect(await jobs.tasks.run('greetings_every_hour')).to.be.true();
      expect(await jobs.tasks.run('greetings_never')).to.be.false();
      expect(await jobs.runDue()).to.equal(1);
      expect(await jobs.tasks.run('greetings_every_hour')).to.be.true();
      expect(await jobs.runDue(now + 3_600_000)).to.be.above(0);
      expect(kit.ran.filter((name) => name === 'hello')).to.have.length(2);
      const [after] = (await jobs.tasks.list()).slice(1);
      expect(after!.runs).to.be.between(1, 4);
      expect(after!.lastAt! >= now).to.be.true();
      expect((await jobs.tasks.list())[0]?.runs).to.equal(0);
    });

    it('count a task once that is asked for several times before it is done', async () => {
      const jobs = kit.handling(kit.open());
      jobs.schedule('greetings', 'yearly', yearly, greet, { name: 'hello' });
      const counted = async () => (await jobs.tasks.list())[0]?.runs;
      for (let click = 0; click < 3; click++) expect(await jobs.tasks.run('greetings_yearly')).to.be.true();
      expect([await jobs.runDue(), await counted()]).to.equal([1, 1]);
      await jobs.tasks.run('greetings_yearly');
      const nextYear = (await jobs.tasks.list())[0]!.nextAt;
      // its time comes while the wish still waits
      expect([await jobs.runDue(nextYear), await counted()]).to.equal([1, 2]);
      expect(kit.ran).to.equal(['hello', 'hello']);
    });
  });
}
