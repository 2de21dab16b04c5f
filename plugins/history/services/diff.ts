/** A unified diff, read into files and lines. */
export interface DiffLine {
  readonly kind: 'context' | 'add' | 'remove' | 'hunk' | 'note';
  /** Line numbers before and after. */
  readonly left?: number;
  readonly right?: number;
  readonly text: string;
}

export interface FilePatch {
  readonly path: string;
  readonly lines: readonly DiffLine[];
  /** More lines than the page shows. */
  readonly isCut: boolean;
}

const longestLine = 5_000;
const shorten = (text: string) =>
  text.length > longestLine ? `${text.slice(0, longestLine)}… ${text.length - longestLine} more characters` : text;

/** A unified diff cut into its files, in git's order. */
export function splitPatch(patch: string): string[] {
  return patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
}

/** A name as git writes it in headers: plain, or quoted with octal bytes (git-diff, `core.quotePath`). */
export function unquote(name: string): string {
  if (!name.startsWith('"')) return name.replace(/\t$/, '');
  const simple: Record<string, number> = { n: 10, t: 9, r: 13, a: 7, b: 8, v: 11, f: 12, '"': 34, '\\': 92 };
  const bytes: Buffer[] = [];
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g))
    bytes.push(
      octal ? Buffer.from([parseInt(octal, 8)]) : letter ? Buffer.from([simple[letter] ?? 63]) : Buffer.from(plain!),
    );
  return Buffer.concat(bytes).toString('utf8');
}

/** Path (after the change) that a part is about. */
export function pathOfPart(part: string): string {
  const end = part.search(/^@@ /m);
  const header = end < 0 ? part : part.slice(0, end);
  const line = (pattern: RegExp) => pattern.exec(header)?.[1];
  const to = line(/^(?:rename|copy) to (.+)$/m);
  if (to) return unquote(to);
  const after = line(/^\+\+\+ (.+)$/m);
  const before = line(/^--- (.+)$/m);
  const named = after && after !== '/dev/null' ? after : before;
  if (named && named !== '/dev/null') return unquote(named).slice(2);
  // Neither side has lines (empty, binary or mode only): both names are the same.
  const both = line(/^diff --git (.+)$/m) ?? '';
  if (both.startsWith('"')) return unquote(/ ("(?:[^"\\]|\\.)*")$/.exec(both)?.[1] ?? both).slice(2);
  return both.slice((both.length + 1) / 2 + 2);
}

/** Lines of one part. */
export function readPart(part: string, mostLines: number): FilePatch {
  const lines: DiffLine[] = [];
  let left = 0;
  let right = 0;
  let inside = false;
  let isCut = false;
  for (const line of part.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (lines.length >= mostLines) {
      isCut = true;
      break;
    }
    if (hunk) {
      [left, right] = [Number(hunk[1]), Number(hunk[2])];
      inside = true;
      lines.push({ kind: 'hunk', text: shorten(line) });
    } else if (!inside) continue;
    else if (line.startsWith('+')) lines.push({ kind: 'add', right: right++, text: shorten(line.slice(1)) });
    else if (line.startsWith('-')) lines.push({ kind: 'remove', left: left++, text: shorten(line.slice(1)) });
    else if (line.startsWith(' '))
      lines.push({ kind: 'context', left: left++, right: right++, text: shorten(line.slice(1)) });
    else if (line.startsWith('\\')) lines.push({ kind: 'note', text: line.slice(2) });
  }
  return { path: pathOfPart(part), lines, isCut };
}

/** Two columns: removed lines stand beside the added ones that replace them. */
export function sideBySide(lines: readonly DiffLine[]): (readonly [DiffLine | undefined, DiffLine | undefined])[] {
  const rows: (readonly [DiffLine | undefined, DiffLine | undefined])[] = [];
  for (let index = 0; index < lines.length;) {
    const line = lines[index]!;
    if (line.kind !== 'add' && line.kind !== 'remove') {
      rows.push([line, line]);
      index++;
      continue;
    }
    const removed: DiffLine[] = [];
    const added: DiffLine[] = [];
    while (lines[index]?.kind === 'remove') removed.push(lines[index++]!);
    while (lines[index]?.kind === 'add') added.push(lines[index++]!);
    for (let row = 0; row < Math.max(removed.length, added.length); row++) rows.push([removed[row], added[row]]);
  }
  return rows;
}
