import type { Database, Jobs } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import { syncPullMirror } from '../contract/mirrors.js';
import { PullMirrorRow, type MirrorRow } from '../models/pull-mirror.js';
import { PushMirrorRow } from '../models/push-mirror.js';
import type { UpdateSettings } from '../settings.js';
import { groupOfOwner } from './run-limits.js';
import type { PushMirrorService } from './push-mirrors.js';

interface DueDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly repositories: Pick<Repositories, 'byIds'>;
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
    start: (due: MirrorRow, ownerId: number) => Promise<void>,
  ) =>
    database.write(async () => {
      const query = database.query<MirrorRow>(row).select('id', 'repository_id');
      void query.where('next_run_at', '>', 0).where('next_run_at', '<=', now).orderBy(['next_run_at', 'id']);
      const due = await (limit < 0 ? query : query.limit(limit));
      const repositoriesById = await repositories.byIds(due.map((mirror) => mirror.repository_id));
      for (const mirror of due) await start(mirror, repositoriesById.get(mirror.repository_id)?.ownerId ?? 0);
      for (let at = 0; at < due.length; at += idsPerStatement)
        await database
          .query<MirrorRow>(row)
          .whereIn(
            'id',
            due.slice(at, at + idsPerStatement).map(({ id }) => id),
          )
          .patch({ next_run_at: now + claimMs });
    });
  await take(PullMirrorRow, limits.PULL_LIMIT, async ({ repository_id: repositoryId }, ownerId) => {
    await jobs.enqueue(
      syncPullMirror,
      { repositoryId, startedBy: 'schedule' },
      { uniqueKey: `mirrors.pull:${repositoryId}`, group: groupOfOwner(ownerId) },
    );
  });
  await take(PushMirrorRow, limits.PUSH_LIMIT, (row, ownerId) => pushMirrors.request(row, ownerId, 'schedule'));
}
