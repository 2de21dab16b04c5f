import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { setImmediate as breathe } from 'node:timers/promises';
import { expressionOf } from './owner-patterns.js';

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

/** Bytes of the file, lines with owners in it, different names of owners, and paths times rules that are looked at. */
export const ownerLimits = {
  bytes: 256 * 1024,
  rules: 1000,
  names: 5000,
  looks: 2_000_000,
  pattern: 500,
  program: 50_000,
} as const;
/** Repetitions that make an expression long although it is short to write. */
const manyTimes = /\{\d{3,}|\{\d*,\d{3,}/;
/** Milliseconds that all the looks take at most, and after which others have their turn. */
const maxTime = 2000;
const turn = 15;

/** Also the one of no break, which editors and chats put where a space was typed. */
const space = /\s/;
/** What nobody sees: where it stands, an owner may be part of what looks like a path. */
const invisible = /[\p{Cf}\p{Z}]/u;

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
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word = '';
  for (let at = 0; at < line.length; at++) {
    const [char, next] = [line[at]!, line[at + 1]];
    if (char === '\\' && next !== undefined && ' \t#\\'.includes(next)) {
      word += next;
      at++;
    } else if (char === '#') break;
    else if (space.test(char)) {
      if (word) words.push(word);
      word = '';
    } else word += char;
  }
  if (word) words.push(word);
  return words;
}

/** A line of which it is not clear what it means, so that nothing may be merged past it. */
export interface InvalidLine {
  /** From 1. */
  readonly line: number;
  /** As it is written. */
  readonly pattern: string;
}

/** A file of owners, read. */
interface OwnersFile {
  readonly rules: readonly OwnerRule[];
  readonly errors: readonly InvalidLine[];
}

/** The rules of a file, and the lines that cannot be understood; undefined: it has more of them than are looked at. */
export function parseOwners(text: string): OwnersFile | undefined {
  const rules: OwnerRule[] = [];
  const errors: InvalidLine[] = [];
  // one statement asks for all of them, and statements of engines have a bounded number of values
  const differentNames = new Set<string>();
  let size = 0;
  for (const [index, content] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = index + 1;
    const [first = '', ...owners] = splitWords(content);
    const isNegated = first.startsWith('!');
    const pattern = isNegated ? first.slice(1) : first;
    const names = owners.map((owner) => owner.replace(/^@/, '')).filter(Boolean);
    if (names.length === 0) {
      // a path without owners is nobody's
      if (invisible.test(first)) errors.push({ line, pattern: first });
      continue;
    }
    for (const name of names) differentNames.add(name.toLowerCase());
    if (rules.length + errors.length >= ownerLimits.rules || size > ownerLimits.program) return undefined;
    if (differentNames.size > ownerLimits.names) return undefined;
    const expression = compile(pattern);
    if (!expression) {
      errors.push({ line, pattern: first });
      continue;
    }
    size += expression.programSize();
    rules.push({ line, pattern, isNegated, expression, owners: [...new Set(names)] });
  }
  return { rules, errors };
}

/** Undefined: it is neither clearly an expression nor clearly a glob. */
function compile(pattern: string): RE2JS | undefined {
  if (!pattern || pattern.length > ownerLimits.pattern || manyTimes.test(pattern)) return undefined;
  const { RE2JS } = re2js();
  const compiled = (source: string) => {
    try {
      // names of files may hold line breaks
      return RE2JS.compile(source, RE2JS.DOTALL);
    } catch {
      return undefined;
    }
  };
  const plain = compiled(pattern);
  const source = expressionOf(pattern, plain !== undefined);
  return source === undefined ? undefined : source === pattern ? plain : compiled(source);
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
