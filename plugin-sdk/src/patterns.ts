/**
 * Patterns that people write: globs over names and paths, and expressions. They are compared by RE2, so whatever the
 * pattern, the time is linear to the text.
 */
import { createRequire } from 'node:module';
import type { RE2JS as Re2 } from 're2js';

/** A compiled pattern. */
export interface Matcher {
  matches(text: string): boolean;
}

interface GlobOptions {
  /** `*` and `?` stand for slashes too; else they stay within one part of a path. */
  readonly acrossSlashes?: boolean;
  readonly ignoreCase?: boolean;
}

/** Expressions that unfold to more than this cost more to compile than anybody needs. */
const maxExpressionSize = 2000;
const maxPatternLength = 1000;

/** Loaded when the first pattern is compiled: a start does without. */
let loaded: typeof Re2 | undefined;
function engine(): typeof Re2 {
  loaded ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof Re2 }).RE2JS;
  return loaded;
}

/** Has the text any sign that makes it a pattern? */
export const isGlob = (text: string): boolean => /[*?[\]{}\\]/.test(text);

/**
 * A glob: `*` and `?` stay within one part of the path, `**` crosses slashes (followed by a slash it stands for no
 * folder too), `[ab]`, `[!ab]`, `{a,b}`, `\` before a plain sign. Undefined when it is broken or longer than 1,000
 * characters.
 */
export function compileGlob(glob: string, options: GlobOptions = {}): Matcher | undefined {
  if (glob.length > maxPatternLength) return undefined;
  const { DOTALL, CASE_INSENSITIVE } = engine();
  const source = expressionOf(glob, options.acrossSlashes ?? false);
  return source === undefined
    ? undefined
    : compile(`^(?:${source})$`, DOTALL | (options.ignoreCase ? CASE_INSENSITIVE : 0));
}

/** An expression in RE2's syntax that may match anywhere in the text. Undefined when it is broken or too large. */
export function compileExpression(source: string, options: { ignoreCase?: boolean } = {}): Matcher | undefined {
  if (source.length > maxPatternLength || expressionSize(source) > maxExpressionSize) return undefined;
  return compile(source, options.ignoreCase ? engine().CASE_INSENSITIVE : 0);
}

function compile(source: string, flags: number): Matcher | undefined {
  try {
    const expression = engine().compile(source, flags);
    return { matches: (text) => expression.test(text) };
  } catch {
    return undefined;
  }
}

function expressionOf(glob: string, acrossSlashes: boolean): string | undefined {
  const quote = (sign: string) => engine().quote(sign);
  const one = acrossSlashes ? '.' : '[^/]';
  let source = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const sign = glob[at]!;
    if (sign === '*' && glob[at + 1] === '*') {
      const start = at;
      while (glob[at + 1] === '*') at++;
      const isPart = acrossSlashes || start === 0 || glob[start - 1] === '/';
      const isFolder = glob[at + 1] === '/' && isPart;
      source += isFolder ? '(?:.*/)?' : '.*';
      if (isFolder) at++;
    } else if (sign === '*') source += `${one}*`;
    else if (sign === '?') source += one;
    else if (sign === '{') {
      depth++;
      source += '(?:';
    } else if (sign === '}' && depth > 0) {
      depth--;
      source += ')';
    } else if (sign === ',' && depth > 0) source += '|';
    else if (sign === '[') {
      const end = glob.indexOf(']', at + 2);
      if (end < 0) return undefined;
      const inner = glob.slice(at + 1, end);
      const not = inner[0] === '!' || inner[0] === '^';
      source += `[${not ? '^' : ''}${inner.slice(not ? 1 : 0).replace(/[\\\][^&~]/g, '\\$&')}]`;
      at = end;
    } else if (sign === '\\') {
      if (++at >= glob.length) return undefined;
      source += quote(glob[at]!);
    } else source += quote(sign);
  }
  return depth > 0 ? undefined : source;
}

/**
 * To how many signs an expression unfolds when its counted repetitions (`{3}`, `{1,200}`, also nested) are written out:
 * about what a compiler of expressions needs memory for.
 */
export function expressionSize(source: string): number {
  const sizes = [0];
  let last = 0;
  const add = (size: number) => {
    last = size;
    sizes[sizes.length - 1]! += size;
  };
  for (let at = 0; at < source.length; at++) {
    const sign = source[at]!;
    if (sign === '\\') {
      at++;
      add(1);
    } else if (sign === '[') {
      at = endOfClass(source, at);
      add(1);
    } else if (sign === '(') sizes.push(0);
    else if (sign === ')' && sizes.length > 1) add(sizes.pop()! + 1);
    else if (sign === '{') {
      const [whole, from = '', to = ''] = /^\{(\d*),?(\d*)\}/.exec(source.slice(at, at + 24)) ?? [];
      if (whole === undefined) {
        add(1);
        continue;
      }
      const times = Math.max(Number(from), Number(to), 1);
      const size = last;
      add(size * (times - 1));
      last = size * times;
      at += whole.length - 1;
    } else if (!'*+?|^$'.includes(sign)) add(1);
  }
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Of `[…]`: a bracket right at its beginning, or in `[:alpha:]`, does not end it. */
function endOfClass(source: string, start: number): number {
  let at = start + 1;
  if (source[at] === '^') at++;
  if (source[at] === ']') at++;
  for (; at < source.length && source[at] !== ']'; at++) {
    const kind = source[at] === '[' && /[:.=]/.test(source[at + 1] ?? '') ? source[at + 1]! : undefined;
    const end = kind ? source.indexOf(`${kind}]`, at + 2) : -1;
    if (end >= 0) at = end + 1;
    else if (source[at] === '\\') at++;
  }
  return at;
}
