import { adoptState, type Knex } from '@mortise/plugin-sdk';

/** Until `contents` was split, these parts of this plugin belonged to it. */
export async function up(knex: Knex): Promise<void> {
  await adoptState(knex, {
    subscribers: { 'contents/forget-archives': 'files/forget-archives', 'contents/warm-home': 'files/warm-home' },
    jobs: { 'contents.cleanArchives': 'files.cleanArchives' },
    schedules: { 'contents/clean-archives': 'files/clean-archives' },
  });
}

export async function down(): Promise<void> {}
