import type { VNode } from 'preact';
import type { PointReader } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { CommitMark } from '../api.js';

/** What other plugins show beside commits: for each commit its marks, in the order of their sources. */
export async function marksOf(
  sources: PointReader<CommitMark>,
  context: RepositoryContext,
  oids: readonly string[],
): Promise<ReadonlyMap<string, readonly VNode[]>> {
  const all = new Map<string, VNode[]>();
  if (oids.length === 0) return all;
  const wanted = [...new Set(oids)];
  for (const marks of await Promise.all(sources.list().map((source) => source.marks(context, wanted))))
    for (const [oid, mark] of marks) all.set(oid, [...(all.get(oid) ?? []), mark]);
  return all;
}
