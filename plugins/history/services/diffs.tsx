import type { Markup } from '@mortise/markup/api';
import type { Diffs } from '../contract/diffs.js';
import { Diff, readDiff } from '../pages/diff.js';

/** Differences as pages show them, for every plugin that has any. */
export const diffService = (markup: Markup): Diffs => ({
  read: readDiff,
  render: (data, { before, after }, { slots, viewer } = {}) => Diff({ data, before, after, slots, markup, viewer }),
});
