/** Lines that both branches changed, with a few around them. */
export interface ConflictRegion {
  /** Of the file as git leaves it to be resolved, from 1. */
  readonly line: number;
  readonly before: readonly string[];
  /** What the base branch has there, and what the head has. */
  readonly base: readonly string[];
  readonly head: readonly string[];
  readonly after: readonly string[];
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

/** The places between the marks that git leaves (`<<<<<<<`, `=======`, `>>>>>>>`); what only looks like one is none. */
export function readConflicts(text: string): ConflictText {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return conflictsIn(lines);
}

/** Each line is looked at a few times, however many places there are. */
export function conflictsIn(lines: readonly string[]): ConflictText {
  const regions: ConflictRegion[] = [];
  let more = 0;
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at]!.startsWith('<<<<<<< ')) continue;
    const middle = lines.indexOf('=======', at + 1);
    if (middle < 0) break;
    let end = middle + 1;
    while (end < lines.length && !lines[end]!.startsWith('>>>>>>> ')) end++;
    if (end === lines.length) break;
    if (regions.length < maxRegions)
      regions.push({
        line: at + 1,
        before: shown(lines.slice(Math.max(0, at - around), at)),
        base: shown(lines.slice(at + 1, middle)),
        head: shown(lines.slice(middle + 1, end)),
        after: shown(lines.slice(end + 1, end + 1 + around)),
      });
    else more++;
    at = end;
  }
  return { regions, more };
}
