import { compact, dedent, isBlank, trimLines } from '../lines.js';
import type { RstBlocks } from './blocks.js';

/** Rows and columns of one table; larger ones are shown as they were written. */
const maxRows = 2_000;
const maxColumns = 100;

interface Row {
  readonly cells: readonly { readonly lines: string[]; readonly span: number }[];
  readonly isHead: boolean;
}

function tableOf(blocks: RstBlocks, rows: readonly Row[]): string {
  const line = ({ cells, isHead }: Row) => {
    const tag = isHead ? 'th' : 'td';
    const inner = cells.map(({ lines, span }) => {
      const html = compact(blocks.render(trimLines(dedent(lines))));
      return `<${tag}${span > 1 ? ` colspan="${span}"` : ''}>${html}</${tag}>`;
    });
    return `<tr>${inner.join('')}</tr>`;
  };
  const head = rows
    .filter((row) => row.isHead)
    .map(line)
    .join('');
  const body = rows
    .filter((row) => !row.isHead)
    .map(line)
    .join('');
  return `<table>${head ? `<thead>${head}</thead>` : ''}<tbody>${body}</tbody></table>\n`;
}

/** Columns between lines of `=`; a line of `-` below a row joins columns. */
export function simpleTable(blocks: RstBlocks, lines: readonly string[], at: number): [string, number] | undefined {
  if (blocks.vain.has(lines, 'simple table')) return undefined;
  const border = /^=+(?: +=+)+$/;
  let end = at + 1;
  const borders: number[] = [];
  while (end < lines.length) {
    if (border.test(lines[end]!)) {
      borders.push(end);
      // The table ends with a border that a blank line follows.
      if (isBlank(lines[end + 1])) break;
    }
    end++;
  }
  const last = end < lines.length ? borders.at(-1) : undefined;
  if (last === undefined) return blocks.vain.note(lines, 'simple table', undefined);
  const columns = [...lines[at]!.matchAll(/=+/g)].map((found) => found.index);
  if (columns.length > maxColumns || last - at > maxRows)
    return [blocks.pre(lines.slice(at, last + 1).join('\n')), last + 1];
  const headEnd = borders.length > 1 ? borders[0]! : at;
  const rows: { cells: { lines: string[]; span: number }[]; isHead: boolean }[] = [];
  for (let next = at + 1; next < last; next++) {
    const line = lines[next]!;
    if (border.test(line) || isBlank(line)) continue;
    if (/^-[- ]*$/.test(line) && line.includes('--')) continue;
    const cells = columns.map((start, index) => line.slice(start, columns[index + 1]).trimEnd());
    // Text of further lines belongs to the row above where the first column is empty.
    if (isBlank(cells[0]) && rows.length > 0 && rows.at(-1)!.isHead === next < headEnd)
      rows.at(-1)!.cells.forEach((cell, index) => cell.lines.push(cells[index] ?? ''));
    else rows.push({ cells: cells.map((text) => ({ lines: [text], span: 1 })), isHead: next < headEnd });
  }
  return [tableOf(blocks, rows), last + 1];
}

/** Cells drawn with `+`, `-` and `|`; cells that go over several rows are shown in each. */
export function gridTable(blocks: RstBlocks, lines: readonly string[], at: number): [string, number] {
  let end = at;
  while (end < lines.length && /^[+|]/.test(lines[end]!)) end++;
  const grid = lines.slice(at, end);
  const asWritten = (): [string, number] => [blocks.pre(grid.join('\n')), end];
  if (grid.length < 3 || grid.length > maxRows) return asWritten();
  const columns = new Set<number>();
  for (const line of grid)
    if (/^\+[-=+]+\+$/.test(line)) for (const match of line.matchAll(/\+/g)) columns.add(match.index);
  const edges = [...columns].sort((a, b) => a - b);
  if (edges.length > maxColumns) return asWritten();
  const rows: Row[] = [];
  let block: string[] = [];
  const headEnd = grid.findIndex((line) => /^\+[=+]+\+$/.test(line) && line.includes('='));
  grid.forEach((line, index) => {
    if (!/^\+[-=+]+\+$/.test(line)) {
      block.push(line);
      return;
    }
    if (block.length > 0) rows.push({ cells: cellsOf(block, edges), isHead: index <= headEnd });
    block = [];
  });
  return [tableOf(blocks, rows), end];
}

/** Cells end where all lines of a row have a bar at an edge. */
function cellsOf(block: readonly string[], edges: readonly number[]): { lines: string[]; span: number }[] {
  const cells: { lines: string[]; span: number }[] = [];
  let from = 0;
  for (let edge = 1; edge < edges.length; edge++) {
    const position = edges[edge]!;
    if (edge < edges.length - 1 && !block.every((line) => line[position] === '|' || line[position] === '+')) continue;
    cells.push({ lines: block.map((line) => line.slice(edges[from]! + 1, position).trimEnd()), span: edge - from });
    from = edge;
  }
  return cells;
}
