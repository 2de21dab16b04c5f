// Database: SQLite alone; differences are made by git.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { FileChange, GitRepository } from '@mortise/git/api';
import { DifferenceFinder } from '../services/difference.js';
import { api, makeWorld, send, write, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('O4: a pull request of very many files', { timeout: 180_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  /** More than are counted at once. */
  const count = 3_101;
  const nameOf = (at: number) => `src/${String(at).padStart(5, '0')}.txt`;

  it('tells how many there are, and counts lines of the files of a page alone', async () => {
    const { ben, host } = world;
    const files = Array.from({ length: count }, (_, at) => ({
      operation: 'create',
      path: nameOf(at),
      content: Buffer.from(`one\ntwo ${at}\n`).toString('base64'),
    }));
    for (let at = 0; at < count; at += 1000)
      expect(
        (
          await send(ben, 'POST', `${api}/contents`, {
            files: files.slice(at, at + 1000),
            ...(at === 0 ? { branch: 'main', new_branch: 'many' } : { branch: 'many' }),
            message: 'Add many',
          })
        ).status,
      ).to.equal(201);
    const made = await send(ben, 'POST', `${api}/pulls`, { title: 'Many', base: 'main', head: 'many' });
    expect([made.status, made.body.changed_files, made.body.additions]).to.equal([201, count, 0]);
    await host.settle();
    const page = await send<{ filename: string; additions: number }[]>(
      ben,
      'GET',
      `${api}/pulls/${String(made.body.number)}/files?limit=50&page=3`,
    );
    expect(page.headers['x-total-count']).to.equal(String(count));
    expect(page.body.map((file) => [file.filename, file.additions])).to.equal(
      Array.from({ length: 50 }, (_, at) => [nameOf(100 + at), 2]),
    );
  });

  it('counts all lines of a normal one', async () => {
    const { ben } = world;
    await write(ben, { into: 'few', path: 'few.txt', text: 'one\ntwo\n' });
    const made = await send(ben, 'POST', `${api}/pulls`, { title: 'Few', base: 'main', head: 'few' });
    expect([made.status, made.body.changed_files, made.body.additions]).to.equal([201, 1, 2]);
  });

  it('asks git for no counts where it lists files for rules and owners', async () => {
    const asked: unknown[] = [];
    const git = {
      mergeBase: async () => 'base',
      count: async () => 1,
      changePage: async () => ({ changes: [], from: 0, total: count, isCounted: false }),
      changes: async (_from: string, _to: string, options: unknown): Promise<readonly FileChange[]> => {
        asked.push(options);
        return [];
      },
    } as unknown as GitRepository;
    const finder = new DifferenceFinder({ reader: { open: () => git }, writer: {} } as never);
    await finder.difference(1, 'base', 'head');
    expect(asked).to.equal([{ stats: false }]);
  });
});
