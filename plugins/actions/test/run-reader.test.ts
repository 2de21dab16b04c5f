import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { RunRow } from '../models/run.js';
import { RunReader } from '../pages/runs/run-reader.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('what pages of runs keep', () => {
  it('is counted with its texts, which a workflow makes as long as it likes', async () => {
    const kept = new Map<string, { readonly maxSize?: number; size?: number }>();
    const cache = {
      query: (name: string, limits: { readonly maxSize?: number }) => ({
        load: async (_key: string, loader: () => Promise<unknown>, options?: { size?(value: unknown): number }) => {
          const value = await loader();
          kept.set(name, { ...limits, size: options?.size?.(value) });
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
    expect([...kept.keys()]).to.equal(['actions.lists', 'actions.found-runs']);
    for (const [name, { maxSize = Infinity, size = 0 }] of kept) {
      expect(size, name).to.be.above(4 << 20);
      expect(maxSize, name).to.be.at.most(16 << 20);
    }
  });
});
