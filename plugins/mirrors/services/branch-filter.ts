/** Which references a mirror takes: branches by patterns, and all tags. */
import { compileGlob, Invalid, type Text } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

const maxPatterns = 50;
const maxLength = 1000;
/** A star stands for slashes too, as branch filters of compatible services have it. */
const acrossSlashes = { acrossSlashes: true };

const split = (patterns: string): string[] => patterns.split(/[,\s]+/).filter(Boolean);

export const isBranch = (ref: string): boolean => ref.startsWith('refs/heads/');

/** Why the patterns cannot be used. */
function problemOf(patterns: readonly string[]): Text | undefined {
  const bad = patterns.find(
    (pattern) => /[~^:\u0000-\u001f]|\.\.|^-/.test(pattern) || !compileGlob(pattern, acrossSlashes), // oxlint-disable-line no-control-regex
  );
  if (bad !== undefined) return t.later('error.branchPattern', { pattern: bad.slice(0, 100) });
  if (patterns.length > maxPatterns) return t.later('error.branchCount', { max: maxPatterns, count: patterns.length });
  const { length } = patterns.join();
  return length > maxLength ? t.later('error.branchLength', { max: maxLength, length }) : undefined;
}

/** Patterns that were typed, in one form: `main,release/*`. Throws Invalid for what no branch can be called. */
export function normalizeBranches(text: string): string {
  const patterns = split(text);
  const problem = problemOf(patterns);
  if (problem) throw Invalid(problem, { inputs: { branches: problem } });
  return patterns.join(',');
}

/** Compared in linear time, since names come from the other side. */
export function branchFilter(patterns: string): (ref: string) => boolean {
  const globs = split(patterns).map((pattern) => compileGlob(pattern, acrossSlashes));
  return (ref) => {
    if (ref.startsWith('refs/tags/')) return true;
    const branch = /^refs\/heads\/(.+)$/s.exec(ref)?.[1];
    return branch !== undefined && (globs.length === 0 || globs.some((glob) => glob?.matches(branch)));
  };
}
