import type { Database } from '@mortise/plugin-sdk';
import type { Generation, Generations } from './ref-fingerprints.js';

/** For so long after a move a node may remember the link that was there before; no file system does for longer. */
const rememberedMs = 300_000;

/** Generations in the database that all nodes share. */
export class DatabaseGenerations implements Generations {
  constructor(private readonly database: Database) {}

  async read(name: string): Promise<Generation> {
    const row = await this.database
      .knex()('git_generation')
      .where({ name })
      .first<{ word: string; place: string | null; placed_at: number | null } | undefined>();
    const isRecent = Number(row?.placed_at ?? 0) > Date.now() - rememberedMs;
    return { word: row?.word, place: isRecent ? (row?.place ?? undefined) : undefined };
  }

  async move(name: string, word: string): Promise<void> {
    await this.#store({ name, word }, ['word']);
  }

  async place(name: string, word: string, place: string): Promise<void> {
    await this.#store({ name, word, place, placed_at: Date.now() }, ['word', 'place', 'placed_at']);
  }

  async #store(row: Readonly<Record<string, string | number>>, changed: readonly string[]): Promise<void> {
    await this.database.write(async () => {
      await this.database
        .knex()('git_generation')
        .insert(row)
        .onConflict('name')
        .merge([...changed]);
    });
  }
}
