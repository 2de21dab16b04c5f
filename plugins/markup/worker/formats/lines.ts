/** Parts of formats in which indentation counts. */

export const indentOf = (line: string): number => line.length - line.trimStart().length;
export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

/** Without what all lines have in common of indentation. */
export function dedent(lines: readonly string[]): string[] {
  let width = Infinity;
  for (const line of lines) if (!isBlank(line)) width = Math.min(width, indentOf(line));
  return width === Infinity || width === 0 ? [...lines] : lines.map((line) => line.slice(width));
}

/** Without blank lines at both ends. */
export function trimLines(lines: readonly string[]): string[] {
  let start = 0;
  let end = lines.length;
  while (start < end && isBlank(lines[start])) start++;
  while (end > start && isBlank(lines[end - 1])) end--;
  return lines.slice(start, end);
}

/** End of the lines from `start` that are blank or indented by `width` at least; blank ones at the end are left. */
export function endOfIndented(lines: readonly string[], start: number, width = 1): number {
  let end = start;
  for (let at = start; at < lines.length; at++) {
    if (isBlank(lines[at])) continue;
    if (indentOf(lines[at]!) < width) break;
    end = at + 1;
  }
  return end;
}

/** What was looked for in vain until the end of these lines, so that it is looked for once and not from each place. */
export class Vain {
  readonly #known = new WeakMap<readonly string[], Set<string>>();

  has(lines: readonly string[], what: string): boolean {
    return this.#known.get(lines)?.has(what) ?? false;
  }

  /** Gives `found` back; notes when it is undefined. */
  note<T>(lines: readonly string[], what: string, found: T | undefined): T | undefined {
    if (found === undefined) {
      const known = this.#known.get(lines) ?? new Set();
      this.#known.set(lines, known.add(what));
    }
    return found;
  }
}

/** Tabs as blanks, line ends as line feeds. */
export const linesOf = (text: string, tab: number): string[] =>
  text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => (line.includes('\t') ? expandTabs(line.trimEnd(), tab) : line.trimEnd()));

function expandTabs(line: string, tab: number): string {
  let out = '';
  for (const character of line) out += character === '\t' ? ' '.repeat(tab - (out.length % tab)) : character;
  return out;
}

/** A list item of one paragraph needs none around it. */
export const compact = (html: string): string => {
  const inner = /^<p>([^]*)<\/p>\n?$/.exec(html)?.[1];
  return inner !== undefined && !inner.includes('<p>') ? inner : html;
};

/** Levels of blocks inside blocks; deeper ones are shown as they were written. */
const maxDepth = 30;

/** Goes through lines block by block, and through those of blocks inside of blocks. */
export class BlockWalk {
  #depth = 0;

  constructor(
    /** A block and where it ends. */
    private readonly block: (lines: readonly string[], at: number) => [string, number],
    /** Of lines as they were written. */
    private readonly plain: (text: string) => string,
  ) {}

  render(lines: readonly string[]): string {
    if (this.#depth >= maxDepth) return this.plain(lines.join('\n'));
    this.#depth++;
    let html = '';
    let at = 0;
    while (at < lines.length) {
      if (isBlank(lines[at])) {
        at++;
        continue;
      }
      const [block, next] = this.block(lines, at);
      html += block;
      at = Math.max(next, at + 1);
    }
    this.#depth--;
    return html;
  }
}
