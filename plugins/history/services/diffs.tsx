import type { Markup } from '@mortise/markup/api';
import type { Diffs } from '../contract/diffs.js';
import { Diff, DiffFiles, highlightsOf } from '../pages/diff.js';
import { readDiff } from './diff-reading.js';

/** Diffs as pages show them, for every plugin that has any. */
export const diffService = (markup: Pick<Markup, 'highlightAll'>): Diffs => ({
  read: readDiff,
  async render(piece, view) {
    const highlights = await highlightsOf(piece, markup, view.viewer);
    const Part = piece.query.piece ? DiffFiles : Diff;
    return <Part piece={piece} view={view} highlights={highlights} />;
  },
});
