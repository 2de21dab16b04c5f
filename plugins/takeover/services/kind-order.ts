import type { TakeoverKind } from '@mortise/plugin-sdk';

/** Each kind after those that it names; what names itself, or a kind that is not here, waits for nothing. */
export function inOrder(kinds: readonly TakeoverKind[]): TakeoverKind[] {
  const byId = new Map(kinds.map((kind) => [kind.id, kind]));
  const placed = new Set<TakeoverKind>();
  const place = (kind: TakeoverKind, path: readonly string[]): void => {
    if (placed.has(kind)) return;
    if (path.includes(kind.id)) throw new Error(`Kinds wait for each other: ${[...path, kind.id].join(' → ')}.`);
    for (const id of namedBy(kind)) {
      const before = byId.get(id);
      if (before && before !== kind) place(before, [...path, kind.id]);
    }
    placed.add(kind);
  };
  for (const kind of kinds) place(kind, []);
  return [...placed];
}

const namedBy = ({ after = [], references = {} }: TakeoverKind): readonly string[] => [
  ...after,
  ...Object.values(references).map((one) => (typeof one === 'string' ? one : one.kind)),
];
