import type { Database, Jobs } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import { syncPullMirror } from '../contract/mirrors.js';
import { PullMirrorRow, type MirrorRow } from '../models/pull-mirror.js';
import { PushMirrorRow } from '../models/push-mirror.js';
import type { UpdateSettings } from '../settings.js';
import { ownerGroup } from './run-limits.js';
import type { PushMirrorService } from './push-mirrors.js';

interface DueDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly repositories: Pick<Repositories, 'byId'>;
  readonly pushMirrors: PushMirrorService;
}

/** Later than that a mirror whose job was lost is due again. */
const claimMs = 3_600_000;
const idsPerStatement = 500;

/**
 * Starts the mirrors that are due, the longest due first. They are not due again while their jobs wait: else the same ones
 * would take all the places each time, and those of a server that hangs would keep all others from being started.
 */
export async function startDueMirrors(
  { database, jobs, repositories, pushMirrors }: DueDeps,
  limits: UpdateSettings,
): Promise<void> {
  const now = Date.now();
  const take = (
    row: typeof PullMirrorRow | typeof PushMirrorRow,
    limit: number,
    start: (due: MirrorRow) => Promise<void>,
  ) =>
    database.write(async () => {
      const query = database.query<MirrorRow>(row).select('id', 'repository_id', 'remote_url');
      void query.where('next_run_at', '>', 0).where('next_run_at', '<=', now).orderBy(['next_run_at', 'id']);
      const due = await (limit < 0 ? query : query.limit(limit));
      for (const mirror of due) await start(mirror);
      for (let at = 0; at < due.length; at += idsPerStatement)
        await database
          .query<MirrorRow>(row)
          .whereIn(
            'id',
            due.slice(at, at + idsPerStatement).map(({ id }) => id),
          )
          .patch({ next_run_at: now + claimMs });
    });
  await take(PullMirrorRow, limits.PULL_LIMIT, async ({ repository_id: repositoryId }) => {
    await jobs.enqueue(
      syncPullMirror,
      { repositoryId, startedBy: 'schedule' },
      { uniqueKey: `mirrors.pull:${repositoryId}`, group: await ownerGroup(repositories, repositoryId) },
    );
  });
  await take(PushMirrorRow, limits.PUSH_LIMIT, (row) => pushMirrors.request(row, 'schedule'));
}
