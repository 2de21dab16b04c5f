import type { BackupFolder } from './folder.js';
import type { RestorePoint } from './format.js';
import { contentOf } from './verify.js';

/** How many points are kept: the newest ones, and the newest of each of so many days, weeks and months. */
export interface Retention {
  readonly last?: number;
  readonly daily?: number;
  readonly weekly?: number;
  readonly monthly?: number;
}

const dayMs = 86_400_000;
const periods = {
  daily: (at: number) => Math.floor(at / dayMs),
  // weeks begin on Monday; 1970 began on a Thursday
  weekly: (at: number) => Math.floor((at / dayMs + 3) / 7),
  monthly: (at: number) => new Date(at).toISOString().slice(0, 7),
} as const;

/** The points that go. The newest one always stays. */
function outdated(points: readonly RestorePoint[], retention: Retention): RestorePoint[] {
  const newestFirst = [...points].sort((a, b) => b.at - a.at);
  const kept = new Set(newestFirst.slice(0, Math.max(1, retention.last ?? 0)));
  for (const name of ['daily', 'weekly', 'monthly'] as const) {
    const seen = new Set<number | string>();
    for (const point of newestFirst) {
      if (seen.size >= (retention[name] ?? 0)) break;
      const period = periods[name](point.at);
      if (seen.has(period)) continue;
      seen.add(period);
      kept.add(point);
    }
  }
  return newestFirst.filter((point) => !kept.has(point));
}

/** Removes points, then the content that no other point needs. A kill in between leaves only content without points. */
export async function prune(folder: BackupFolder, retention: Retention): Promise<{ points: number; contents: number }> {
  const going = outdated(await folder.points(), retention);
  for (const point of going) await folder.remove(point);
  const used = new Set<string>();
  for (const point of await folder.points())
    for await (const { kind, hash } of contentOf(folder, point)) used.add(kind[0] + hash);
  let contents = 0;
  for (const kind of ['objects', 'texts'] as const)
    for await (const hash of folder.store.list(kind)) {
      if (used.has(kind[0] + hash)) continue;
      await folder.store.remove(kind, hash);
      contents++;
    }
  return { points: going.length, contents };
}
