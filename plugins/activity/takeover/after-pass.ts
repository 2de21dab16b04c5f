import type { Database } from '@mortise/plugin-sdk';
import type { Recorder } from '../services/recorder.js';

/** After a pass: entries are seen as far as their repositories are now, not as they were then. */
export async function afterPass(database: Database, recorder: Pick<Recorder, 'follow'>): Promise<void> {
  const differing = await database
    .knex()('activity')
    .join('repository', 'repository.id', 'activity.repository_id')
    .whereRaw('?? <> (case when ?? or ?? <> ? then 1 else 0 end)', [
      'activity.is_private',
      'repository.is_private',
      'repository.owner_visibility',
      'public',
    ])
    .distinct()
    .pluck<number[]>('repository.id');
  for (const id of differing) await database.write(() => recorder.follow(Number(id)));
}
