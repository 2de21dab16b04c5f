import { sideBySide, type DiffLine } from '../services/diff.js';

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!);

const classOf = { add: 'diff-add', remove: 'diff-remove', context: '', hunk: 'diff-hunk', note: 'diff-note' } as const;
const signOf = { add: '+', remove: '-', context: ' ', hunk: ' ', note: ' ' } as const;

/** HTML of each line: coloured as code where `colour` does it. */
function coloured(lines: readonly DiffLine[], colour: ((text: string) => readonly string[]) | undefined): string[] {
  const code = lines.filter((line) => line.kind !== 'hunk' && line.kind !== 'note');
  const html = colour?.(code.map((line) => line.text).join('\n'));
  let next = 0;
  return lines.map((line) =>
    line.kind === 'hunk' || line.kind === 'note' ? escapeHtml(line.text) : (html?.[next++] ?? escapeHtml(line.text)),
  );
}

const number = (id: string, side: 'L' | 'R', line: number | undefined) =>
  line === undefined
    ? '<td class="blob-num"></td>'
    : `<td class="blob-num" id="${id}${side}${line}"><a href="#${id}${side}${line}" data-line="${line}" aria-label="Line ${line}"></a></td>`;
const cell = (line: DiffLine | undefined, html: string) =>
  line
    ? `<td class="blob-code ${classOf[line.kind]}"><span class="diff-sign">${signOf[line.kind]}</span>${html || ' '}</td>`
    : '<td class="blob-code diff-none"></td>';

/** Rows of a table, lines of both sides below each other. */
export function unifiedRows(
  id: string,
  lines: readonly DiffLine[],
  colour?: (text: string) => readonly string[],
): string {
  const html = coloured(lines, colour);
  return lines
    .map((line, index) =>
      line.kind === 'hunk' || line.kind === 'note'
        ? `<tr class="${classOf[line.kind]}"><td colspan="2"></td><td class="blob-code">${html[index]}</td></tr>`
        : `<tr class="${classOf[line.kind]}">${number(id, 'L', line.left)}${number(id, 'R', line.right)}${cell(line, html[index]!)}</tr>`,
    )
    .join('');
}

/** Rows of a table, before on the left and after on the right. */
export function splitRows(
  id: string,
  lines: readonly DiffLine[],
  colour?: (text: string) => readonly string[],
): string {
  const html = new Map(coloured(lines, colour).map((text, index) => [lines[index]!, text]));
  const text = (line: DiffLine | undefined) => (line ? html.get(line)! : '');
  return sideBySide(lines)
    .map(([left, right]) =>
      left && left === right && (left.kind === 'hunk' || left.kind === 'note')
        ? `<tr class="${classOf[left.kind]}"><td></td><td class="blob-code" colspan="3">${text(left)}</td></tr>`
        : `<tr>${number(id, 'L', left?.left)}${cell(left, text(left))}${number(id, 'R', right?.right)}${cell(right, text(right))}</tr>`,
    )
    .join('');
}
