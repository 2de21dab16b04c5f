import type { Finding } from '@mortise/plugin-sdk';
import { ReleaseRow } from '../models/release.js';
import type { ReleaseServices } from './services.js';
import { siteActor } from './release-store.js';

/** Releases whose tag is gone, counters that lie, and what a kill left. */
export async function* checkReleases(
  { deps, reader, releaseStore, releases }: ReleaseServices,
  { fix }: { fix: boolean },
): AsyncGenerator<Finding> {
  const { database, git, repositories } = deps;
  const left = await database.query(ReleaseRow).where('pending_at', '>', 0).resultSize();
  if (left) {
    if (fix) await releases.sweep(0);
    yield { level: 'warning', text: `${left} releases were begun and not finished`, fixed: fix };
  }
  let checked = 0;
  for (let after = 0; ;) {
    const rows = (await database
      .query(ReleaseRow)
      .select('repository_id')
      .where('repository_id', '>', after)
      .where('state', 'published')
      .groupBy('repository_id')
      .count('id as total')
      .orderBy('repository_id')
      .limit(200)) as unknown as { repository_id: number; total: number }[];
    const known = await repositories.byIds(rows.map((row) => row.repository_id));
    for (const { repository_id: id, total } of rows) {
      checked++;
      const repository = known.get(id);
      if (!repository) continue;
      const path = `${repository.ownerName}/${repository.name}`;
      const wrong = Number(total) - repository.releaseCount;
      if (wrong) {
        if (fix) await database.write(() => repositories.count(id, 'releaseCount', wrong));
        yield { level: 'warning', text: `${path} counts ${repository.releaseCount} of ${total} releases`, fixed: fix };
      }
      const tags = new Set((await git.open(id).tags()).map((tag) => tag.name));
      const lost = (await reader.tagsNewestFirst(id, Number(total))).filter((one) => !tags.has(one.tagName));
      if (lost.length === 0) continue;
      if (fix)
        await releaseStore.removeTags(
          id,
          lost.map((one) => one.tagName),
          siteActor.id,
          Date.now(),
        );
      yield { level: 'error', text: `${path} has ${lost.length} releases without their tags`, fixed: fix };
    }
    if (rows.length < 200) break;
    after = rows.at(-1)!.repository_id;
  }
  yield { level: 'ok', text: `the releases of ${checked} repositories were looked at` };
}
