import { compileGlob, Invalid } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** A star stands for slashes too, as filters of compatible services have it: `release/*` takes `release/1/fix`. */
const acrossSlashes = { acrossSlashes: true };

export function checkBranchFilter(filter: string): void {
  if (!compileGlob(filter, acrossSlashes))
    throw Invalid('branch_filter must be a valid glob.', {
      text: t.later('error.branchFilter'),
      inputs: { branch_filter: t.later('error.branchFilter') },
    });
}

/**
 * Compares with the full name of the reference; a branch also matches by its short name; empty, `*` and `**` match
 * everything (HOK-06, HOK-07).
 */
export function matchesBranch(filter: string, ref: string | undefined): boolean {
  if (!ref || filter === '' || filter === '*' || filter === '**') return true;
  const pattern = compileGlob(filter, acrossSlashes);
  if (!pattern) return false;
  if (pattern.matches(ref)) return true;
  return ref.startsWith('refs/heads/') && pattern.matches(ref.slice('refs/heads/'.length));
}
