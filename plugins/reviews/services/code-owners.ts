import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { setImmediate as breathe } from 'node:timers/promises';

const require = createRequire(import.meta.url);
/** Loaded where a repository first has code owners. */
const re2js = () => require('re2js') as typeof import('re2js');

/** Where the file is looked for, in this order. */
export const ownerPaths = [
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.mortise/CODEOWNERS',
  '.gitea/CODEOWNERS',
  '.github/CODEOWNERS',
] as const;

/** Bytes of the file, rules in it, and paths times rules that are looked at. */
export const ownerLimits = { bytes: 256 * 1024, rules: 1000, looks: 2_000_000, pattern: 500, program: 50_000 } as const;
/** Repetitions that make an expression long although it is short to write. */
const manyTimes = /\{\d{3,}|\{\d*,\d{3,}/;
/** Milliseconds that all the looks take at most, and after which others have their turn. */
const maxTime = 2000;
const turn = 15;

/** One line: whom paths that fit belong to. */
export interface OwnerRule {
  /** From 1. */
  readonly line: number;
  /** As it is written. */
  readonly pattern: string;
  readonly isNegated: boolean;
  readonly expression: RE2JS;
  /** Names, addresses, or `organization/team`, without `@` before them. */
  readonly owners: readonly string[];
}

/**
 * Words of a line; what follows `#` is a remark. A backslash takes its meaning from a space, a `#` and another backslash;
 * before anything else it belongs to the expression.
 */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word = '';
  for (let at = 0; at < line.length; at++) {
    const [char, next] = [line[at]!, line[at + 1]];
    if (char === '\\' && next !== undefined && ' \t#\\'.includes(next)) {
      word += next;
      at++;
    } else if (char === '#') break;
    else if (char === ' ' || char === '\t' || char === '\r') {
      if (word) words.push(word);
      word = '';
    } else word += char;
  }
  if (word) words.push(word);
  return words;
}

/** The rules of a file, without lines that cannot be read; undefined: it has more of them than are looked at. */
export function parseOwners(text: string): OwnerRule[] | undefined {
  const rules: OwnerRule[] = [];
  let size = 0;
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const [first = '', ...owners] = wordsOf(line);
    const isNegated = first.startsWith('!');
    const pattern = isNegated ? first.slice(1) : first;
    const names = owners.map((owner) => owner.replace(/^@/, '')).filter(Boolean);
    if (!pattern || names.length === 0) continue;
    if (rules.length >= ownerLimits.rules || size > ownerLimits.program) return undefined;
    if (pattern.length > ownerLimits.pattern || manyTimes.test(pattern)) continue;
    try {
      const expression = re2js().RE2JS.compile(pattern);
      size += expression.programSize();
      rules.push({ line: index + 1, pattern, isNegated, expression, owners: [...new Set(names)] });
    } catch {
      // no regular expression: that line says nothing
    }
  }
  return rules;
}

/** The rules that one of the paths fits as a whole, negated ones where one does not; undefined: too much to look at. */
export async function matchingRules(
  rules: readonly OwnerRule[],
  paths: readonly string[],
): Promise<OwnerRule[] | undefined> {
  if (rules.length * paths.length > ownerLimits.looks) return undefined;
  const found: OwnerRule[] = [];
  const began = performance.now();
  let since = began;
  for (const rule of rules) {
    for (const path of paths) {
      // the process goes on with other requests meanwhile
      if (performance.now() - since > turn) {
        if (performance.now() - began > maxTime) return undefined;
        await breathe();
        since = performance.now();
      }
      if (rule.expression.matches(path) === rule.isNegated) continue;
      found.push(rule);
      break;
    }
  }
  return found;
}
