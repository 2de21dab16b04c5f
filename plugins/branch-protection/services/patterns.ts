import { compileExpression, compileGlob, Invalid, isGlob, type Matcher, type MemoryCache } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

const maxPatternLength = 500;
const maxFilePatterns = 100;

const noMatch: Matcher = { matches: () => false };

/** Compiled patterns, cached by their text. */
export class Patterns {
  constructor(private readonly cache: MemoryCache<Matcher>) {}

  #cached(kind: string, pattern: string, make: () => Matcher): Matcher {
    const key = `${kind} ${pattern}`;
    const known = this.cache.get(key);
    if (known) return known;
    const made = make();
    this.cache.set(key, made);
    return made;
  }

  /** A branch by its name, or by a glob in which slashes count. */
  branch(rule: string): Matcher {
    return this.#cached('branch', rule, () => {
      const glob = (isGlob(rule) && compileGlob(rule)) || noMatch;
      return { matches: (name) => name === rule || glob.matches(name) };
    });
  }

  /** A tag by its name, a glob in which slashes are signs as any other, or an expression between slashes. */
  tag(pattern: string): Matcher {
    return this.#cached('tag', pattern, () => compileTag(pattern) ?? noMatch);
  }

  /** The context of a status, by name or a glob in which slashes are signs as any other. */
  context(pattern: string): Matcher {
    return this.#cached('context', pattern, () => {
      const glob = compileGlob(pattern, { acrossSlashes: true }) ?? noMatch;
      return { matches: (name) => name === pattern || glob.matches(name) };
    });
  }

  /** Paths that fit any of the globs; the case of letters does not count. */
  files(patterns: string): Matcher {
    return this.#cached('files', patterns, () => {
      const all = splitPatterns(patterns).map((one) => compileGlob(one, { ignoreCase: true }) ?? noMatch);
      return { matches: (path) => all.some((one) => one.matches(path)) };
    });
  }
}

function compileTag(pattern: string): Matcher | undefined {
  const [, expression] = /^\/(.+)\/$/s.exec(pattern) ?? [];
  return expression === undefined ? compileGlob(pattern, { acrossSlashes: true }) : compileExpression(expression);
}

const splitPatterns = (patterns: string): string[] =>
  patterns
    .split(';')
    .map((one) => one.trim().replace(/^\/+/, ''))
    .filter(Boolean);

/** Throws Invalid for what could never be compared. */
export function checkFilePatterns(patterns: string): void {
  const all = splitPatterns(patterns);
  if (all.length > maxFilePatterns) throw Invalid(t.later('error.fileMany', { max: maxFilePatterns }));
  for (const one of all) {
    if (one.length > maxPatternLength || !compileGlob(one))
      throw Invalid(t.later('error.fileInvalid', { pattern: one.slice(0, 100) }));
  }
}

export function checkRuleName(name: string, isRefName: (name: string) => boolean): void {
  if (!name) throw Invalid(t.later('error.nameRequired'));
  const fits = isGlob(name) ? compileGlob(name) !== undefined || isRefName(name) : isRefName(name);
  // no name of a branch has such signs
  if (!fits || /[\u0000-\u001f\u007f]/.test(name))
    throw Invalid(t.later('error.nameInvalid', { name: name.slice(0, 100) }));
}

export function checkTagPattern(pattern: string): void {
  if (!pattern) throw Invalid(t.later('error.tagRequired'));
  if (!compileTag(pattern)) throw Invalid(t.later('error.tagInvalid', { name: pattern.slice(0, 100) }));
}
