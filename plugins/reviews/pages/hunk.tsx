import type { VNode } from 'preact';
import type { ReviewComment } from '../contract/reviews.js';
import { hunksOf } from '../services/hunks.js';

interface Row {
  readonly sign: string;
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** The lines of the part of a diff that is kept with a comment. */
function rowsOf(hunk: string): Row[] {
  const [found] = hunksOf(hunk);
  if (!found) return [];
  let [before, after] = [found.oldStart, found.newStart];
  return found.lines.map((line) => {
    const sign = line.charAt(0);
    const row = { sign, text: line.slice(1) };
    if (sign === '+') return { ...row, after: after++ };
    if (sign === '-') return { ...row, before: before++ };
    return { ...row, before: before++, after: after++ };
  });
}

const look = (sign: string) => (sign === '+' ? 'diff-add' : sign === '-' ? 'diff-remove' : 'diff-same');
/** Lines above the one that is commented on. */
const above = 4;

const Line = ({ row }: { row: Row }): VNode => (
  <tr>
    <td class="blob-num" data-line={row.before} />
    <td class="blob-num" data-line={row.after} />
    <td class={`blob-code ${look(row.sign)}`}>{row.text || ' '}</td>
  </tr>
);

/** What a comment is about, with some lines above it. */
export function Hunk({ comment, label }: { comment: ReviewComment; label: string }): VNode | null {
  const { hunk, original } = comment;
  const count = original.startLine ? original.line - original.startLine + 1 : 1;
  const rows = rowsOf(hunk).slice(-Math.max(above, Math.min(count, 40)));
  if (rows.length === 0) return null;
  return (
    <div class="code-scroll review-hunk" tabIndex={0} role="group" aria-label={label}>
      <table class="code-lines text-mono f6">
        <tbody>
          {rows.map((row) => (
            <Line row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The lines that a comment is about, as they were. */
function linesOf({ hunk, original, side }: ReviewComment): string[] {
  const count = original.startLine ? original.line - original.startLine + 1 : 1;
  return rowsOf(hunk)
    .filter(({ sign }) => sign !== (side === 'new' ? '-' : '+'))
    .slice(-count)
    .map(({ text }) => text);
}

/** What a suggestion changes, as a small difference. */
export function SuggestionLines({ comment, text }: { comment: ReviewComment; text: string }): VNode {
  const added = text === '' ? [] : text.slice(0, -1).split('\n');
  const first = comment.startLine || comment.line;
  return (
    <table class="code-lines text-mono f6">
      <tbody>
        {linesOf(comment).map((line, at) => (
          <Line row={{ sign: '-', text: line, before: first + at }} />
        ))}
        {added.map((line, at) => (
          <Line row={{ sign: '+', text: line, after: first + at }} />
        ))}
      </tbody>
    </table>
  );
}
