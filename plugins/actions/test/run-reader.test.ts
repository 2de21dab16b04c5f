import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { RunRow } from '../models/run.js';
import { RunReader } from '../pages/runs/run-reader.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('cached runs of pages', () => {
  it('are counted with their texts, which a workflow makes as long as it likes', async () => {
    const sizes = new Map<string, number | undefined>();
    const cache = {
      query: (name: string) => ({
        load: async (_key: string, loader: () => Promise<unknown>, options?: { size?(value: unknown): number }) => {
          const value = await loader();
          sizes.set(name, options?.size?.(value));
          return value;
        },
      }),
    };
    const row = RunRow.fromJson({ id: 1, title: 'short', raw_concurrency: 'x'.repeat(2 << 20) });
    const query = { where: () => query, orderBy: () => query, first: () => Promise.resolve(row) };
    const reader = new RunReader({
      cache,
      database: { query: () => query },
      accounts: { byIds: () => Promise.resolve(new Map()) },
      runQueries: { runs: () => Promise.resolve({ rows: [row], total: 1 }) },
    } as never);
    const filter = { workflow: '', source: 0, branch: '', actor: '', status: 0 };
    await reader.list(1, filter, { limit: 20, offset: 0 }, anonymous);
    await reader.run(1, 'latest', { id: false, index: false });
    expect([...sizes.keys()]).to.equal(['actions.lists', 'actions.found-runs']);
    for (const [name, size = 0] of sizes) expect(size, name).to.be.above(4 << 20);
  });
});
