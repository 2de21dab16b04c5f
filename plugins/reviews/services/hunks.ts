import type { LineSide } from '../contract/reviews.js';

/** A part of a unified diff. */
interface Hunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  /** Each with its ` `, `+` or `-`. */
  readonly lines: readonly string[];
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The parts of the difference of one file. */
export function hunksOf(patch: string): Hunk[] {
  const hunks: (Hunk & { lines: string[] })[] = [];
  let left = { old: 0, new: 0 };
  for (const line of patch.split('\n')) {
    const match = header.exec(line);
    if (match && left.old <= 0 && left.new <= 0) {
      const [oldStart, oldCount, newStart, newCount] = match.slice(1).map((text) => Number(text ?? 1)) as [
        number,
        number,
        number,
        number,
      ];
      left = { old: oldCount, new: newCount };
      hunks.push({ oldStart, oldCount, newStart, newCount, lines: [] });
      continue;
    }
    const hunk = hunks.at(-1);
    if (!hunk || (left.old <= 0 && left.new <= 0) || line.startsWith('\\')) continue;
    if (!line.startsWith('+')) left.old--;
    if (!line.startsWith('-')) left.new--;
    hunk.lines.push(line);
  }
  return hunks;
}

/** What is kept with a comment is bounded, however long the file and its lines are. */
const maxLines = 200;
const maxWidth = 1000;

/** The part of a hunk that ends with the line, with so many lines above the first one; empty: no hunk shows it. */
export function hunkAround(hunks: readonly Hunk[], side: LineSide, line: number, startLine: number, above: number) {
  for (const hunk of hunks) {
    const [from, count] = side === 'new' ? [hunk.newStart, hunk.newCount] : [hunk.oldStart, hunk.oldCount];
    if (line < from || line >= from + count) continue;
    const other = side === 'new' ? '-' : '+';
    let [oldLine, newLine, last, first] = [hunk.oldStart, hunk.newStart, -1, -1];
    /** Numbers of the lines that may begin what is kept. */
    const starts: { readonly at: number; readonly old: number; readonly new: number }[] = [];
    for (let at = 0; at < hunk.lines.length && last < 0; at++) {
      const text = hunk.lines[at]!;
      starts.push({ at, old: oldLine, new: newLine });
      if (starts.length > maxLines) starts.shift();
      const here = side === 'new' ? newLine : oldLine;
      if (!text.startsWith(other) && startLine && here === startLine && first < 0) first = at;
      if (!text.startsWith(other) && here === line) last = at;
      if (!text.startsWith('+')) oldLine++;
      if (!text.startsWith('-')) newLine++;
    }
    if (last < 0) continue;
    const wanted = Math.max(0, (first < 0 ? last : first) - above);
    const start = starts.find(({ at }) => at >= wanted)!;
    const preserved = hunk.lines.slice(start.at, last + 1);
    const countOf = (without: string) => preserved.filter((text) => !text.startsWith(without)).length;
    const head = `@@ -${start.old},${countOf('+')} +${start.new},${countOf('-')} @@`;
    return [head, ...preserved.map((text) => text.slice(0, maxWidth))].join('\n');
  }
  return '';
}

/** Where a line of the old file stands in the new one; undefined: it has changed or is gone. For diffs without context. */
export function followLine(hunks: readonly Hunk[], line: number): number | undefined {
  let shift = 0;
  for (const { oldStart, oldCount, newCount } of hunks) {
    // nothing but new lines: they come after the line that is named
    const first = oldCount === 0 ? oldStart + 1 : oldStart;
    if (line < first) break;
    if (line < first + oldCount) return undefined;
    shift += newCount - oldCount;
  }
  return line + shift;
}

/** The same for lines that belong together; undefined also where one of them has changed, or others came between them. */
export function followLines(hunks: readonly Hunk[], first: number, last: number) {
  const [start, end] = [followLine(hunks, first), followLine(hunks, last)];
  if (start === undefined || end === undefined) return undefined;
  const isTouched = hunks.some(({ oldStart, oldCount }) =>
    oldCount === 0 ? first <= oldStart && oldStart < last : first <= oldStart && oldStart <= last,
  );
  return isTouched ? undefined : { first: start, last: end };
}
