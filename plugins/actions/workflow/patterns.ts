import { createRequire } from 'node:module';
import type { RE2JS as Re2 } from 're2js';

/** Loaded with the first pattern that has a sign: most have none. */
let loaded: typeof Re2 | undefined;
const engine = (): typeof Re2 => (loaded ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof Re2 }).RE2JS);

const maxLength = 1000;
const cache = new Map<string, ((value: string) => boolean) | undefined>();

/**
 * A pattern of branches, tags, paths, types: `*` stays within a part, `**` crosses slashes, `?` and `+` repeat what stands
 * before them, `[a-z]`, `[!a]`, `{a,b}`, `\`. Undefined when it is broken. The time of a match is linear to the value.
 */
export function compilePattern(pattern: string): ((value: string) => boolean) | undefined {
  if (!/[*?+[\]{}\\]/.test(pattern)) return (value) => value === pattern;
  if (cache.has(pattern)) return cache.get(pattern);
  const test = compile(pattern);
  if (cache.size >= 500) cache.delete(cache.keys().next().value!);
  cache.set(pattern, test);
  return test;
}

function compile(pattern: string): ((value: string) => boolean) | undefined {
  const source = pattern.length > maxLength ? undefined : sourceOf(pattern);
  if (source === undefined) return undefined;
  try {
    const expression = engine().compile(`^(?:${source})$`, engine().DOTALL);
    return (value) => expression.test(value);
  } catch {
    return undefined;
  }
}

function sourceOf(pattern: string): string | undefined {
  /** Sequences of atoms, one for each brace that is open. */
  const open: string[][] = [[]];
  const add = (atom: string) => open.at(-1)!.push(atom);
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at]!;
    if (sign === '*' && pattern[at + 1] === '*') {
      const isPart = at === 0 || pattern[at - 1] === '/';
      while (pattern[at + 1] === '*') at++;
      const isFolder = isPart && pattern[at + 1] === '/';
      if (isFolder) at++;
      add(isFolder ? '(?:.*/)?' : '.*');
    } else if (sign === '*') add('[^/]*');
    else if (sign === '?' || sign === '+') {
      const before = open.at(-1)!.pop();
      if (before === undefined || before === '|') return undefined;
      add(before.endsWith(`)${sign}`) ? before : `(?:${before})${sign}`);
    } else if (sign === '{') open.push([]);
    else if (sign === '}' && open.length > 1) add(`(?:${open.pop()!.join('')})`);
    else if (sign === ',' && open.length > 1) add('|');
    else if (sign === '[') {
      const end = pattern.indexOf(']', at + 2);
      if (end < 0) return undefined;
      const inner = pattern.slice(at + 1, end);
      const isNot = inner[0] === '!' || inner[0] === '^';
      add(`[${isNot ? '^/' : ''}${inner.slice(isNot ? 1 : 0).replace(/[\\\][^&~]/g, '\\$&')}]`);
      at = end;
    } else if (sign === '\\') {
      if (++at >= pattern.length) return undefined;
      add(engine().quote(pattern[at]!));
    } else add(engine().quote(sign));
  }
  return open.length > 1 ? undefined : open[0]!.join('');
}

/**
 * Is a value left in by the patterns? They are asked in order: one that matches takes the value in, one with a leading `!`
 * takes it out, later ones win. A broken pattern matches nothing.
 */
export function patternMatcher(patterns: readonly string[]): (value: string) => boolean {
  const tests = patterns.map((pattern) => {
    const isNot = pattern.startsWith('!');
    return { isNot, test: compilePattern(isNot ? pattern.slice(1) : pattern) };
  });
  return (value) => {
    let isIn = false;
    for (const { isNot, test } of tests) if (isIn === isNot && test?.(value)) isIn = !isNot;
    return isIn;
  };
}

/** {@link patternMatcher} for a single value. */
export const matchesPatterns = (patterns: readonly string[], value: string): boolean => patternMatcher(patterns)(value);

/** False: it is broken, and matches nothing. */
export const isPattern = (pattern: string): boolean => compilePattern(pattern.replace(/^!/, '')) !== undefined;
