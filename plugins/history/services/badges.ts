import type { VNode } from 'preact';
import type { PointReader } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { CommitBadges } from '../contract/commits.js';

/** What other plugins show beside commits: for each commit its badges, in the order of their sources. */
export async function badgesOf(
  sources: PointReader<CommitBadges>,
  context: RepositoryContext,
  oids: readonly string[],
): Promise<ReadonlyMap<string, readonly VNode[]>> {
  const all = new Map<string, VNode[]>();
  if (oids.length === 0) return all;
  const wanted = [...new Set(oids)];
  for (const badges of await Promise.all(sources.list().map((source) => source.badges(context, wanted))))
    for (const [oid, badge] of badges) all.set(oid, [...(all.get(oid) ?? []), badge]);
  return all;
}
