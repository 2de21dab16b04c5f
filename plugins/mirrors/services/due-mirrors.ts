import type { Database, Jobs } from '@mortise/plugin-sdk';
import { syncPullMirror } from '../api.js';
import { PullMirrorRow, PushMirrorRow, type MirrorRow } from '../models/mirror.js';
import type { UpdateSettings } from '../settings.js';
import { serverOf } from './mirror-address.js';
import type { PushMirrorService } from './push-mirrors.js';

export interface DueDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly pushMirrors: PushMirrorService;
}

/** Starts the mirrors that are due, the longest due first. */
export async function startDueMirrors({ database, jobs, pushMirrors }: DueDeps, limits: UpdateSettings): Promise<void> {
  const now = Date.now();
  const due = (row: typeof PullMirrorRow | typeof PushMirrorRow, limit: number) => {
    const query = database.query<MirrorRow>(row).select('id', 'repository_id', 'remote_url');
    void query.where('next_run_at', '>', 0).where('next_run_at', '<=', now).orderBy('next_run_at');
    return limit < 0 ? query : query.limit(limit);
  };
  for (const { repository_id: repositoryId, remote_url: url } of await due(PullMirrorRow, limits.PULL_LIMIT))
    await jobs.enqueue(
      syncPullMirror,
      { repositoryId, startedBy: 'schedule' },
      { uniqueKey: `mirrors.pull:${repositoryId}`, group: serverOf(url) },
    );
  for (const row of await due(PushMirrorRow, limits.PUSH_LIMIT)) await pushMirrors.request(row, 'schedule');
}
