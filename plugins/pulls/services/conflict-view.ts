/** Lines that both branches changed, with a few around them. */
export interface ConflictRegion {
  /** Of the file as git leaves it to be resolved, from 1. */
  readonly line: number;
  readonly before: readonly string[];
  /** What the base branch has there, and what the head has. */
  readonly base: readonly string[];
  readonly head: readonly string[];
  readonly after: readonly string[];
  /** Not all of the two sides is there. */
  readonly isCut: boolean;
}

export interface ConflictText {
  readonly regions: readonly ConflictRegion[];
  /** Places that are not shown. */
  readonly more: number;
}

const around = 3;
const maxRegions = 50;
/** Lines of one side, and characters of one line, that are shown. */
const maxLines = 200;
const maxWidth = 500;
const cut = '…';

const shown = (lines: readonly string[]): string[] => [
  ...lines.slice(0, maxLines).map((line) => (line.length > maxWidth ? line.slice(0, maxWidth) + cut : line)),
  ...(lines.length > maxLines ? [cut] : []),
];

/** Lines that are marks of git, counted from 0: `<<<<<<<`, `=======` and `>>>>>>>`. */
interface MarkedLines {
  readonly start: number;
  readonly middle: number;
  readonly end: number;
}

/** Each line is looked at a few times, however many places there are. */
export function* markedLines(lines: readonly string[]): Generator<MarkedLines> {
  for (let start = 0; start < lines.length; start++) {
    if (!lines[start]!.startsWith('<<<<<<< ')) continue;
    const middle = lines.indexOf('=======', start + 1);
    if (middle < 0) return;
    let end = middle + 1;
    while (end < lines.length && !lines[end]!.startsWith('>>>>>>> ')) end++;
    if (end === lines.length) return;
    yield { start, middle, end };
    start = end;
  }
}

/** The places between the marks that git leaves (`<<<<<<<`, `=======`, `>>>>>>>`); what only looks like one is none. */
export function readConflicts(text: string): ConflictText {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return conflictsIn(lines);
}

export function conflictsIn(lines: readonly string[]): ConflictText {
  const regions: ConflictRegion[] = [];
  let more = 0;
  for (const { start, middle, end } of markedLines(lines)) {
    if (regions.length < maxRegions) {
      const [base, head] = [lines.slice(start + 1, middle), lines.slice(middle + 1, end)];
      regions.push({
        line: start + 1,
        before: shown(lines.slice(Math.max(0, start - around), start)),
        base: shown(base),
        head: shown(head),
        after: shown(lines.slice(end + 1, end + 1 + around)),
        isCut: [base, head].some((side) => side.length > maxLines || side.some((line) => line.length > maxWidth)),
      });
    } else more++;
  }
  return { regions, more };
}
