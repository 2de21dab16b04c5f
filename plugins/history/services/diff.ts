import type { DiffHunk, DiffLine } from '../contract/diffs.js';

/** A unified diff, read into files, hunks and lines. */
interface FilePatch {
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
  /** More lines than were asked for. */
  readonly isCut: boolean;
}

const maxLineLength = 5_000;

/** A line within its bounds. */
export const shortened = (text: string): Pick<DiffLine, 'text' | 'omitted'> =>
  text.length > maxLineLength ? { text: text.slice(0, maxLineLength), omitted: text.length - maxLineLength } : { text };

/** A unified diff cut into its files, in git's order. Only a line feed ends a line: a carriage return is content. */
export function splitPatch(patch: string): string[] {
  return patch.split(/(?<=\n)(?=diff --git )/).filter((part) => part.startsWith('diff --git '));
}

/**
 * A name as git writes it in headers: plain, or quoted with octal bytes (git-diff, `core.quotePath`). After names with
 * spaces, quoted ones too, there is a tab.
 */
export function unquote(header: string): string {
  const name = header.replace(/\t$/, '');
  if (!name.startsWith('"')) return name;
  const simple: Record<string, number> = { n: 10, t: 9, r: 13, a: 7, b: 8, v: 11, f: 12, '"': 34, '\\': 92 };
  const bytes: Buffer[] = [];
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g))
    bytes.push(
      octal ? Buffer.from([parseInt(octal, 8)]) : letter ? Buffer.from([simple[letter] ?? 63]) : Buffer.from(plain!),
    );
  return Buffer.concat(bytes).toString('utf8');
}

/** Path (after the change) that a part is about. */
export function pathOfFilePatch(part: string): string {
  const end = part.indexOf('\n@@ ');
  const header = (end < 0 ? part : part.slice(0, end)).split('\n');
  const line = (word: string) => header.find((one) => one.startsWith(word))?.slice(word.length);
  const to = line('rename to ') ?? line('copy to ');
  if (to) return unquote(to);
  const after = line('+++ ');
  const before = line('--- ');
  const named = after && after !== '/dev/null' ? after : before;
  if (named && named !== '/dev/null') return unquote(named).slice(2);
  // Neither side has lines (empty, binary or mode only): both names are the same.
  const both = line('diff --git ') ?? '';
  if (both.startsWith('"')) return unquote(/ ("(?:[^"\\]|\\.)*")$/.exec(both)?.[1] ?? both).slice(2);
  return both.slice((both.length + 1) / 2 + 2);
}

type Open<T> = { -readonly [K in keyof T]: T[K] };
interface OpenHunk {
  before: { start: number; count: number };
  after: { start: number; count: number };
  heading: string;
  lines: Open<DiffLine>[];
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** A side without lines is said to begin at the line before. */
const firstOf = (start: string, count: string | undefined) => Number(start) + (count === '0' ? 1 : 0);

/** Hunks of one part, of its lines no more than so many. */
export function parseFilePatch(part: string, maxLines: number): FilePatch {
  const hunks: OpenHunk[] = [];
  let hunk: OpenHunk | undefined;
  let [before, after, count] = [0, 0, 0];
  let isCut = false;
  for (const line of part.split('\n')) {
    const header = hunkHeader.exec(line);
    if (header) {
      if (count >= maxLines) {
        isCut = true;
        break;
      }
      [before, after] = [firstOf(header[1]!, header[2]), firstOf(header[3]!, header[4])];
      hunk = {
        before: { start: before, count: 0 },
        after: { start: after, count: 0 },
        heading: header[5]!.slice(0, 200),
        lines: [],
      };
      hunks.push(hunk);
      continue;
    }
    if (!hunk) continue;
    const sign = line[0];
    if (sign === '\\') {
      const last = hunk.lines.at(-1);
      if (last) last.noNewline = true;
      continue;
    }
    if (sign !== '+' && sign !== '-' && sign !== ' ') continue;
    if (count >= maxLines) {
      isCut = true;
      break;
    }
    count++;
    const text = shortened(line.slice(1));
    if (sign === '+') hunk.lines.push({ kind: 'added', after: after++, ...text });
    else if (sign === '-') hunk.lines.push({ kind: 'removed', before: before++, ...text });
    else hunk.lines.push({ kind: 'context', before: before++, after: after++, ...text });
    hunk.before.count = before - hunk.before.start;
    hunk.after.count = after - hunk.after.start;
  }
  return { path: pathOfFilePatch(part), hunks, isCut };
}

/** Two columns: removed lines stand beside the added ones that replace them. */
export function sideBySide(lines: readonly DiffLine[]): (readonly [DiffLine | undefined, DiffLine | undefined])[] {
  const rows: (readonly [DiffLine | undefined, DiffLine | undefined])[] = [];
  for (const { context, removed, added } of blocksOf(lines)) {
    if (context) rows.push([context, context]);
    for (let row = 0; row < Math.max(removed.length, added.length); row++) rows.push([removed[row], added[row]]);
  }
  return rows;
}

/** A line that both sides have, or removed lines with the added ones that replace them. */
interface DiffBlock {
  readonly context?: DiffLine;
  readonly removed: readonly DiffLine[];
  readonly added: readonly DiffLine[];
}

export function* blocksOf(lines: readonly DiffLine[]): Generator<DiffBlock> {
  for (let index = 0; index < lines.length;) {
    if (lines[index]!.kind === 'context') {
      yield { context: lines[index++]!, removed: [], added: [] };
      continue;
    }
    const removed: DiffLine[] = [];
    const added: DiffLine[] = [];
    while (lines[index]?.kind === 'removed') removed.push(lines[index++]!);
    while (lines[index]?.kind === 'added') added.push(lines[index++]!);
    yield { removed, added };
  }
}
