import { formatNumber } from '@mortise/plugin-sdk';
import type { DiffLine } from '../contract/diffs.js';
import { hasBidi, markBidi } from '../contract/bidi.js';
import { sideBySide } from '../services/diff.js';
import { markSpans, type Span } from '../services/word-diff.js';
import { t } from '../texts/index.js';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => escapes[sign]!);

/** How lines look beyond their text. */
export interface LineHighlights {
  /** Highlighted HTML; without it the text. */
  readonly html: ReadonlyMap<DiffLine, string>;
  readonly changes: ReadonlyMap<DiffLine, readonly Span[]>;
}

const classOf = { added: 'diff-add', removed: 'diff-remove', context: 'diff-same' } as const;

function codeOf(line: DiffLine, highlights: LineHighlights): string {
  const html = highlights.html.get(line) ?? escapeHtml(line.text);
  const marked = markSpans(html, highlights.changes.get(line) ?? [], '<span class="diff-word">', '</span>');
  const shown = hasBidi(line.text) ? markBidi(marked, (name) => escapeHtml(t('bidi.character', { name }))) : marked;
  const notes = [
    line.omitted ? t('diff.omitted', { count: formatNumber(line.omitted) }) : '',
    line.noNewline ? t('diff.noNewline') : '',
  ].filter(Boolean);
  return shown + notes.map((note) => ` <span class="diff-note">${escapeHtml(note)}</span>`).join('');
}

/** How a row begins that is one of thousands: the message is put together once. */
type NumberCell = (side: 'L' | 'R', line: number | undefined, isLink: boolean) => string;
function numbersOf(id: string): NumberCell {
  const [before = '', after = ''] = escapeHtml(t('line', { line: '\0' })).split('\0');
  return (side, line, isLink) =>
    line === undefined
      ? '<td class="blob-num"></td>'
      : isLink
        ? `<td class="blob-num" id="${id}${side}${line}"><a href="#${id}${side}${line}" data-line="${line}" tabindex="-1" aria-label="${before}${line}${after}"></a></td>`
        : `<td class="blob-num" id="${id}${side}${line}" data-line="${line}"></td>`;
}
const cell = (line: DiffLine | undefined, highlights: LineHighlights) =>
  line
    ? `<td class="blob-code ${classOf[line.kind]}">${codeOf(line, highlights) || ' '}</td>`
    : '<td class="blob-code diff-none"></td>';

/** A row of the table with the lines that it shows. */
export interface DiffRow {
  readonly html: string;
  readonly before?: number;
  readonly after?: number;
}

/** Rows of a table, lines of both sides below each other. */
export function* unifiedRows(id: string, lines: readonly DiffLine[], highlights: LineHighlights): Generator<DiffRow> {
  const number = numbersOf(id);
  for (const line of lines)
    yield {
      html: `<tr class="${classOf[line.kind]}">${number('L', line.before, line.after === undefined)}${number('R', line.after, true)}${cell(line, highlights)}</tr>`,
      before: line.before,
      after: line.after,
    };
}

/** Rows of a table, before on the left and after on the right. */
export function* splitRows(id: string, lines: readonly DiffLine[], highlights: LineHighlights): Generator<DiffRow> {
  const number = numbersOf(id);
  for (const [left, right] of sideBySide(lines))
    yield {
      html: `<tr>${number('L', left?.before, true)}${cell(left, highlights)}${number('R', right?.after, true)}${cell(right, highlights)}</tr>`,
      before: left?.before,
      after: right?.after,
    };
}
