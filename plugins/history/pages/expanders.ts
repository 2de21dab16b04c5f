import type { DiffFile } from '../contract/diffs.js';
import { writeExpand, type LineRange } from '../services/expansion.js';
import { t } from '../texts/index.js';

const step = 20;

/** A link to lines that are not shown. */
export interface Expander {
  /** `up`: above the hunk that follows; `down`: below the one before; `all`: everything between them. */
  readonly kind: 'up' | 'down' | 'all';
  readonly label: () => string;
  /** The query word `expand`, with these lines too. */
  readonly expand: (before: string | undefined) => string;
  /** Line to which the page goes: `R12`. */
  readonly target: string;
}

/** What can be shown before the hunk with this number; behind the last one for the number after it. */
export function expandersOf({ hunks, anchor, isCut, isWhole, change }: DiffFile, index: number): readonly Expander[] {
  if (isCut || change.status === 'added' || change.status === 'deleted') return [];
  const before = hunks[index - 1];
  const first = before ? before.after.start + before.after.count : 1;
  const one = (kind: Expander['kind'], range: LineRange, label: () => string): Expander => ({
    kind,
    label,
    expand: (text) => writeExpand(text, anchor, range),
    target: `R${range[0]}`,
  });
  const down = () => one('down', [first, first + step - 1], () => t('diff.expandDown'));
  if (index >= hunks.length) return isWhole ? [] : [down()];
  const last = hunks[index]!.after.start - 1;
  const count = last - first + 1;
  if (count <= 0) return [];
  if (count <= step) return [one('all', [first, last], () => t('diff.expandAll', { count }))];
  const up = one('up', [last - step + 1, last], () => t('diff.expandUp'));
  return before ? [down(), up] : [up];
}
