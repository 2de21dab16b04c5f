/** Which references a mirror takes: branches by patterns, and all tags. */
import { Invalid } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

const maxPatterns = 50;

/** Patterns that were typed, in one form: `main,release/*`. Throws Invalid for what no branch can be called. */
export function normalizeBranches(text: string): string {
  const patterns = text
    .split(/[,\s]+/)
    .map((pattern) => pattern.trim())
    .filter(Boolean);
  const bad = patterns.find((pattern) => /[~^:?[\\\u0000-\u001f]|\.\./.test(pattern) || pattern.startsWith('-')); // oxlint-disable-line no-control-regex
  if (bad !== undefined || patterns.length > maxPatterns || patterns.join().length > 1000)
    throw Invalid(t.later('error.branches'), { inputs: { branches: t.later('error.branches') } });
  return patterns.join(',');
}

/** `*` stands for anything, slashes too, as in the rules for branches. */
export function branchFilter(patterns: string): (ref: string) => boolean {
  const expressions = patterns
    .split(',')
    .filter(Boolean)
    .map((pattern) => new RegExp(`^${pattern.replace(/[.+$(){}|]/g, '\\$&').replace(/\*+/g, '.*')}$`));
  return (ref) => {
    if (ref.startsWith('refs/tags/')) return true;
    const branch = /^refs\/heads\/(.+)$/s.exec(ref)?.[1];
    return branch !== undefined && (expressions.length === 0 || expressions.some((one) => one.test(branch)));
  };
}
