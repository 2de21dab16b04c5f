import { sideBySide, type DiffLine } from '../services/diff.js';

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!);

const classOf = { add: 'diff-add', remove: 'diff-remove', context: '', hunk: 'diff-hunk', note: 'diff-note' } as const;
const signOf = { add: '+', remove: '-', context: ' ', hunk: ' ', note: ' ' } as const;

const isCode = (line: DiffLine) => line.kind !== 'hunk' && line.kind !== 'note';

/** The code of a difference, to be highlighted: both sides, line by line. */
export const codeOf = (lines: readonly DiffLine[]): string =>
  lines
    .filter(isCode)
    .map((line) => line.text)
    .join('\n');

/** HTML of each line: highlighted where `html` has the lines of {@link codeOf}. */
function coloured(lines: readonly DiffLine[], html: readonly string[] | undefined): string[] {
  let next = 0;
  return lines.map((line) => (isCode(line) ? (html?.[next++] ?? escapeHtml(line.text)) : escapeHtml(line.text)));
}

const number = (id: string, side: 'L' | 'R', line: number | undefined) =>
  line === undefined
    ? '<td class="blob-num"></td>'
    : `<td class="blob-num" id="${id}${side}${line}"><a href="#${id}${side}${line}" data-line="${line}" aria-label="Line ${line}"></a></td>`;
const cell = (line: DiffLine | undefined, html: string) =>
  line
    ? `<td class="blob-code ${classOf[line.kind]}"><span class="diff-sign">${signOf[line.kind]}</span>${html || ' '}</td>`
    : '<td class="blob-code diff-none"></td>';

/** A row of the table with the lines that it shows. */
export interface DiffRow {
  readonly html: string;
  readonly before?: number;
  readonly after?: number;
}

/** Rows of a table, lines of both sides below each other. */
export function unifiedRows(id: string, lines: readonly DiffLine[], highlighted?: readonly string[]): DiffRow[] {
  const html = coloured(lines, highlighted);
  return lines.map((line, index) =>
    line.kind === 'hunk' || line.kind === 'note'
      ? {
          html: `<tr class="${classOf[line.kind]}"><td colspan="2"></td><td class="blob-code">${html[index]}</td></tr>`,
        }
      : {
          html: `<tr class="${classOf[line.kind]}">${number(id, 'L', line.left)}${number(id, 'R', line.right)}${cell(line, html[index]!)}</tr>`,
          before: line.left,
          after: line.right,
        },
  );
}

/** Rows of a table, before on the left and after on the right. */
export function splitRows(id: string, lines: readonly DiffLine[], highlighted?: readonly string[]): DiffRow[] {
  const html = new Map(coloured(lines, highlighted).map((text, index) => [lines[index]!, text]));
  const text = (line: DiffLine | undefined) => (line ? html.get(line)! : '');
  return sideBySide(lines).map(([left, right]) =>
    left && left === right && (left.kind === 'hunk' || left.kind === 'note')
      ? {
          html: `<tr class="${classOf[left.kind]}"><td></td><td class="blob-code" colspan="3">${text(left)}</td></tr>`,
        }
      : {
          html: `<tr>${number(id, 'L', left?.left)}${cell(left, text(left))}${number(id, 'R', right?.right)}${cell(right, text(right))}</tr>`,
          before: left?.left,
          after: right?.right,
        },
  );
}
