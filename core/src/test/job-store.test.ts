import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { KernelDatabase } from '../contracts.js';
import { JobStore } from '../jobs/store.js';
import { engines, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

for (const engine of engines) {
  describe(`stored jobs on ${engine.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await engine.open();
    });
    after(() => test.close());

    it('keep a failed one that gets another chance while others are forgotten', async () => {
      const { database } = test;
      const jobs = () => database.knex()<{ id: number; state: string; ended_at: number | null }>('job');
      const failed = { name: 'a', payload: '{}', state: 'failed', rank: 0, run_at: 0, created_at: 0, ended_at: 1 };
      await database.write(async () => void (await database.knex()('job').insert([failed, failed])));
      const { id } = (await jobs().orderBy('id').first())!;
      const retrying = {
        knex: () => database.knex(),
        write: (work: () => Promise<void>) =>
          database.write(async () => {
            await jobs().where({ id }).update({ state: 'waiting', ended_at: null });
            await work();
          }),
      } as unknown as KernelDatabase;
      expect(await new JobStore(retrying, 'here').prune(1)).to.be.false();
      expect(await jobs().select('id', 'state')).to.equal([{ id, state: 'waiting' }]);
    });
  });
}
