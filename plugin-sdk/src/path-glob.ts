/**
 * Does a path match a pattern? `*` and `?` stay within a segment, a segment `**` stands for any number of them. Both
 * levels are matched by the table of all prefixes, so that no pattern takes long.
 */
export function matchesPathGlob(pattern: string, path: string): boolean {
  const wanted = pattern.replace(/^\.?\//, '').split('/');
  const given = path.split('/');
  // A name alone is looked for in the root only.
  let reached = new Set([0]);
  for (const [index, segment] of wanted.entries()) {
    const next = new Set<number>();
    for (const at of reached) {
      if (segment === '**') {
        const last = index === wanted.length - 1 ? given.length : given.length - 1;
        for (let to = at; to <= last; to++) next.add(to);
      } else if (at < given.length && matchesSegment(segment, given[at]!)) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(given.length);
}

function matchesSegment(pattern: string, text: string): boolean {
  let reached = new Set([0]);
  for (const sign of pattern) {
    const next = new Set<number>();
    if (sign === '*') for (let to = Math.min(...reached); to <= text.length; to++) next.add(to);
    else for (const at of reached) if (at < text.length && (sign === '?' || text[at] === sign)) next.add(at + 1);
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(text.length);
}
