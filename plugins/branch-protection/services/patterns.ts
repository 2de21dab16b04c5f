import { RE2JS } from 're2js';
import { Invalid, type MemoryCache } from '@mortise/plugin-sdk';

/** Tells in time linear to the text whether it fits, whatever people wrote as the pattern. */
export interface Matcher {
  matches(text: string): boolean;
}

const longestPattern = 500;
const mostFilePatterns = 100;

/** Has the name any sign that makes it a pattern? */
export const isGlob = (name: string): boolean => /[*?[\]{}\\]/.test(name);

/**
 * A glob as an expression for RE2: `*` and `?` stay within one part of the path, `**` crosses slashes (followed by a
 * slash it stands for no folder too), `[ab]`, `[!ab]`, `{a,b}`, `\` before a plain sign. Undefined when it is broken.
 * `flat`: slashes are signs as any other.
 */
function expressionOf(glob: string, flat: boolean): string | undefined {
  const one = flat ? '.' : '[^/]';
  let source = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const sign = glob[at]!;
    if (sign === '*' && glob[at + 1] === '*') {
      while (glob[at + 1] === '*') at++;
      const whole = glob[at + 1] === '/' && (/(^|\/)\*+$/.test(glob.slice(0, at + 1)) || flat);
      source += whole ? '(?:.*/)?' : '.*';
      if (whole) at++;
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
      source += RE2JS.quote(glob[at]!);
    } else source += RE2JS.quote(sign);
  }
  return depth > 0 ? undefined : source;
}

const nothing: Matcher = { matches: () => false };

function compile(source: string | undefined, flags: number): Matcher | undefined {
  if (source === undefined) return undefined;
  try {
    const expression = RE2JS.compile(source, flags);
    return { matches: (text) => expression.test(text) };
  } catch {
    return undefined;
  }
}

/** Compiled patterns, kept by their text. */
export class Patterns {
  constructor(private readonly cache: MemoryCache<Matcher>) {}

  #kept(kind: string, pattern: string, make: () => Matcher): Matcher {
    const key = `${kind} ${pattern}`;
    const known = this.cache.get(key);
    if (known) return known;
    const made = make();
    this.cache.set(key, made);
    return made;
  }

  /** A branch by its name, or by a glob in which slashes count. */
  branch(rule: string): Matcher {
    return this.#kept('branch', rule, () => {
      const glob = (isGlob(rule) && compileGlob(rule)) || nothing;
      return { matches: (name) => name === rule || glob.matches(name) };
    });
  }

  /** A tag by its name, a glob in which slashes are signs as any other, or an expression between slashes. */
  tag(pattern: string): Matcher {
    return this.#kept('tag', pattern, () => compileTag(pattern) ?? nothing);
  }

  /** The context of a status, by name or a glob in which slashes are signs as any other. */
  context(pattern: string): Matcher {
    return this.#kept('context', pattern, () => {
      const glob = compile(anchored(expressionOf(pattern, true)), RE2JS.DOTALL) ?? nothing;
      return { matches: (name) => name === pattern || glob.matches(name) };
    });
  }

  /** Paths that fit any of the globs; the case of letters does not count. */
  files(patterns: string): Matcher {
    return this.#kept('files', patterns, () => {
      const all = splitPatterns(patterns).map((one) => compileGlob(one, RE2JS.CASE_INSENSITIVE) ?? nothing);
      return { matches: (path) => all.some((one) => one.matches(path)) };
    });
  }
}

const anchored = (source: string | undefined) => (source === undefined ? undefined : `^(?:${source})$`);
const compileGlob = (glob: string, flags = 0) => compile(anchored(expressionOf(glob, false)), flags | RE2JS.DOTALL);

function compileTag(pattern: string): Matcher | undefined {
  const [, expression] = /^\/(.+)\/$/s.exec(pattern) ?? [];
  if (expression !== undefined) return compile(expression, 0);
  return compile(anchored(expressionOf(pattern, true)), RE2JS.DOTALL);
}

export const splitPatterns = (patterns: string): string[] =>
  patterns
    .split(';')
    .map((one) => one.trim().replace(/^\/+/, ''))
    .filter(Boolean);

/** Throws Invalid for what could never be compared. */
export function checkFilePatterns(patterns: string): void {
  const all = splitPatterns(patterns);
  if (all.length > mostFilePatterns) throw Invalid(`there may be up to ${mostFilePatterns} file patterns`);
  for (const one of all) {
    if (one.length > longestPattern || !compileGlob(one))
      throw Invalid(`${one.slice(0, 100)} is no valid file pattern`);
  }
}

export function checkRuleName(name: string, isRefName: (name: string) => boolean): void {
  const fits = isGlob(name) ? compileGlob(name) !== undefined || isRefName(name) : isRefName(name);
  // no name of a branch has such signs
  if (!fits || /[\u0000-\u001f\u007f]/.test(name))
    throw Invalid(`${name.slice(0, 100)} is neither the name of a branch nor a valid pattern`);
}

export function checkTagPattern(pattern: string): void {
  if (!compileTag(pattern)) throw Invalid(`${pattern.slice(0, 100)} is no valid pattern for tags`);
}
