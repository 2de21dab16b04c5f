import type { DiffHunk, DiffLine } from '../contract/diffs.js';
import { shortened } from './diff.js';

/** Numbers of lines of the newer side, both inclusive. */
export type LineRange = readonly [first: number, last: number];

/** The ranges that a query asks for, by anchor of a file. */
export function readExpand(text: string | undefined): ReadonlyMap<string, readonly LineRange[]> {
  const ranges = new Map<string, LineRange[]>();
  for (const one of text ? text.split(',') : []) {
    const [, anchor = '', first, last] = /^(\w+):(\d+)-(\d+)$/.exec(one) ?? [];
    if (first && last) ranges.set(anchor, [...(ranges.get(anchor) ?? []), [Number(first), Number(last)]]);
  }
  return ranges;
}

/** Adds a range; of those before, what would not fit into an address any more is left out. */
export function writeExpand(text: string | undefined, anchor: string, [first, last]: LineRange, max = 1_900): string {
  const all = [...(text ? text.split(',') : []), `${anchor}:${first}-${last}`];
  while (all.length > 1 && all.join(',').length > max) all.shift();
  return all.join(',');
}

/** What is not shown between two hunks, in numbers of the newer side; before = after + shift. */
interface Gap {
  readonly first: number;
  readonly last: number;
  readonly shift: number;
}

function gapsOf(hunks: readonly DiffHunk[], lineCount: number): Gap[] {
  const gaps: Gap[] = [];
  let next = 1;
  let shift = 0;
  for (const { before, after } of hunks) {
    gaps.push({ first: next, last: after.start - 1, shift: before.start - after.start });
    next = after.start + after.count;
    shift = before.start + before.count - next;
  }
  gaps.push({ first: next, last: lineCount, shift });
  return gaps;
}

/**
 * Hunks with the lines around them that were asked for; what then touches becomes one. `lines`: the whole file on the
 * newer side. At most `maxLines` lines are added.
 */
export function expandHunks(
  hunks: readonly DiffHunk[],
  lines: readonly string[],
  ranges: readonly LineRange[],
  maxLines: number,
): DiffHunk[] {
  const result: DiffHunk[] = [];
  let remaining = maxLines;
  const add = (hunk: DiffHunk) => {
    const last = result.at(-1);
    if (last && last.after.start + last.after.count === hunk.after.start) result.splice(-1, 1, joined(last, hunk));
    else result.push(hunk);
  };
  gapsOf(hunks, lines.length).forEach((gap, index) => {
    for (const [first, last] of withinGap(gap, ranges)) {
      const end = Math.min(last, first + remaining - 1);
      if (end < first) continue;
      remaining -= end - first + 1;
      add(contextHunk(lines, first, end, gap.shift));
    }
    const hunk = hunks[index];
    if (hunk) add(hunk);
  });
  return result;
}

/** The parts of a gap that ranges cover, in order and without overlap. */
function withinGap(gap: Gap, ranges: readonly LineRange[]): LineRange[] {
  const found: [number, number][] = [];
  const sorted = ranges
    .map(([first, last]): [number, number] => [Math.max(first, gap.first), Math.min(last, gap.last)])
    .filter(([first, last]) => first <= last)
    .sort((a, b) => a[0] - b[0]);
  for (const [first, last] of sorted) {
    const before = found.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else found.push([first, last]);
  }
  return found;
}

function contextHunk(lines: readonly string[], first: number, last: number, shift: number): DiffHunk {
  const shown: DiffLine[] = [];
  for (let after = first; after <= last; after++)
    shown.push({ kind: 'context', before: after + shift, after, ...shortened(lines[after - 1]!) });
  const count = shown.length;
  return { before: { start: first + shift, count }, after: { start: first, count }, heading: '', lines: shown };
}

const joined = (one: DiffHunk, other: DiffHunk): DiffHunk => ({
  before: { start: one.before.start, count: one.before.count + other.before.count },
  after: { start: one.after.start, count: one.after.count + other.after.count },
  heading: one.heading,
  lines: [...one.lines, ...other.lines],
});
