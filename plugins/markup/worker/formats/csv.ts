import { escapeHtml } from '../../contract/escape.js';

const maxRows = 1_000;
/** A table of half a million cells is no use to anybody, and slow for everybody. */
const maxCells = 50_000;

/** A table of comma or tab separated values (RFC 4180): its first rows. */
export function csvTable(text: string, separator: string): string {
  const rows: string[][] = [[]];
  let cell = '';
  let cells = 0;
  let quoted = false;
  const end = () => {
    rows.at(-1)!.push(cell);
    cell = '';
    cells++;
  };
  let at = 0;
  for (; at < text.length && rows.length <= maxRows + 1 && cells < maxCells; at++) {
    const character = text[at]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else quoted = false;
    } else if (character === '"' && cell === '') quoted = true;
    else if (character === separator) end();
    else if (character === '\n') {
      end();
      rows.push([]);
    } else if (character !== '\r') cell += character;
  }
  if (cell || rows.at(-1)!.length) end();
  else rows.pop();
  const [head = [], ...body] = rows;
  const line = (values: readonly string[], tag: string) =>
    `<tr>${values.map((value) => `<${tag}>${escapeHtml(value)}</${tag}>`).join('')}</tr>`;
  const more = at < text.length ? '<p><em>Only the first rows are shown.</em></p>' : '';
  return `<table><thead>${line(head, 'th')}</thead><tbody>${body.map((row) => line(row, 'td')).join('')}</tbody></table>${more}`;
}
