import type { Database } from '@mortise/plugin-sdk';
import type { Generations } from './ref-fingerprints.js';

/** Generations in the database that all nodes share. */
export class DatabaseGenerations implements Generations {
  constructor(private readonly database: Database) {}

  async read(name: string): Promise<string | undefined> {
    const row = await this.database
      .knex()('git_generation')
      .where({ name })
      .first<{ word: string } | undefined>('word');
    return row?.word;
  }

  async move(name: string, word: string): Promise<void> {
    await this.database.write(async () => {
      await this.database.knex()('git_generation').insert({ name, word }).onConflict('name').merge();
    });
  }
}
