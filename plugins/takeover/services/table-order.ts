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
