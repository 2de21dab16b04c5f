import { Invalid } from '@mortise/plugin-sdk';
import type { ImportKind } from '../contract/source.js';

/** What of a repository a dump holds beside its code, as the flag `--units` names it. */
export const dumpUnits = [
  'wiki',
  'issues',
  'labels',
  'releases',
  'release_assets',
  'milestones',
  'pull_requests',
  'comments',
  'projects',
] as const;
export type DumpUnit = (typeof dumpUnits)[number];

/** `issues,labels`; nothing stands for all. */
export function unitsIn(list: string): ReadonlySet<DumpUnit> {
  const names = list
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);
  const isUnit = (name: string): name is DumpUnit => (dumpUnits as readonly string[]).includes(name);
  const units = names.map((name) => {
    if (isUnit(name)) return name;
    throw Invalid(`There is no unit ${name}: choose from ${dumpUnits.join(', ')}.`);
  });
  return new Set(units.length ? units : dumpUnits);
}

const recordKinds = ['labels', 'milestones', 'releases', 'issues', 'pull_requests'] as const;

/** What of an import the units ask for, beside code, wiki and objects of LFS. */
export const recordKindsOf = (units: ReadonlySet<DumpUnit>): ReadonlySet<ImportKind> =>
  new Set(recordKinds.filter((kind) => units.has(kind)));
