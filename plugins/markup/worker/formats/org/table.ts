/** Rows and cells of one table; a larger one is shown as it was written. */
const maxRows = 2_000;
const maxCells = 50_000;

/** A table of bars; the rows above its first line are its head. Undefined: too large. */
export function orgTable(lines: readonly string[], inline: (text: string) => string): string | undefined {
  if (lines.length > maxRows) return undefined;
  const parts: string[][][] = [[]];
  let cells = 0;
  for (const line of lines) {
    const text = line.trim();
    if (/^\|[-+|]*-[-+|]*$/.test(text)) {
      if (parts.at(-1)!.length > 0) parts.push([]);
      continue;
    }
    const row = text.replace(/^\||\|$/g, '').split('|');
    // Widths and alignments of columns, not shown.
    if (row.every((cell) => /^\s*(?:<[lrc]?\d*>)?\s*$/.test(cell)) && row.some((cell) => cell.includes('<'))) continue;
    parts.at(-1)!.push(row);
    if ((cells += row.length) > maxCells) return undefined;
  }
  const isHeaded = parts.filter((part) => part.length > 0).length > 1;
  const line = (row: readonly string[], tag: string) =>
    `<tr>${row.map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`).join('')}</tr>`;
  const [head, ...rest] = parts;
  const body = isHeaded ? rest.flat() : parts.flat();
  const headHtml = isHeaded ? `<thead>${head!.map((row) => line(row, 'th')).join('')}</thead>` : '';
  return `<table>${headHtml}<tbody>${body.map((row) => line(row, 'td')).join('')}</tbody></table>\n`;
}
