import type { TableMapping } from '@mortise/plugin-sdk';

/** Each table after those that it references; references to itself or to a table without a mapping do not order. */
export function orderByReferences(mappings: readonly TableMapping[]): TableMapping[] {
  const byId = new Map(mappings.map((mapping) => [mapping.id, mapping]));
  const placed = new Set<TableMapping>();
  const place = (mapping: TableMapping, path: readonly string[]): void => {
    if (placed.has(mapping)) return;
    if (path.includes(mapping.id))
      throw new Error(`Tables refer to each other in a circle: ${[...path, mapping.id].join(' → ')}.`);
    for (const id of referencedIds(mapping)) {
      const before = byId.get(id);
      if (before && before !== mapping) place(before, [...path, mapping.id]);
    }
    placed.add(mapping);
  };
  for (const mapping of mappings) place(mapping, []);
  return [...placed];
}

const referencedIds = ({ after = [], references = {} }: TableMapping): readonly string[] => [
  ...after,
  ...Object.values(references).map((reference) => (typeof reference === 'string' ? reference : reference.to)),
];

/** Mappings that read one table by one key, so that each of its pages is read once for all of them. */
export type TableGroup = readonly [TableMapping, ...TableMapping[]];

const tableKey = ({ table, key = ['id'] }: TableMapping): string => [table, ...key].join(' ');

/**
 * Groups of mappings, each after those that it references, from an order in which each mapping is. A mapping joins the
 * first of its table unless something that it references comes between the two.
 */
export function groupByTable(ordered: readonly TableMapping[]): TableGroup[] {
  const groups: [TableMapping, ...TableMapping[]][] = [];
  const placeOf = new Map<string, number>();
  for (const mapping of ordered) {
    const at = groups.findLastIndex(([first]) => tableKey(first) === tableKey(mapping));
    const isFree = referencedIds(mapping).every((id) => (placeOf.get(id) ?? -1) <= at);
    if (at >= 0 && isFree) groups[at]!.push(mapping);
    else groups.push([mapping]);
    placeOf.set(mapping.id, at >= 0 && isFree ? at : groups.length - 1);
  }
  return groups;
}
