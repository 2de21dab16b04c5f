import { parseExpression, partsOf } from './syntax.js';
import { hasExpression, textParts } from './interpolate.js';
import { SyntaxProblem } from './tokens.js';
import type { Problem } from './types.js';
import { limits, type Value } from './values.js';
import { plainValue, type Entry, type Located, type LocatedFile } from './yaml.js';

/** Reads nodes into what they should be and collects what is wrong with them. */
export class Reader {
  readonly problems: Problem[] = [];
  readonly file: string;
  readonly #place: LocatedFile['place'];

  constructor(file: string, located: LocatedFile) {
    this.file = file;
    this.#place = (at) => located.place(at);
    this.problems.push(...located.problems);
  }

  lineOf(at: number): number {
    return this.#place(at).line;
  }

  problem(at: number, message: string, severity: Problem['severity'] = 'error'): void {
    if (this.problems.length >= limits.problems && severity === 'warning') return;
    if (this.problems.length >= 2 * limits.problems) return;
    this.problems.push({ file: this.file, severity, message, ...this.#place(at) });
  }

  get hasErrors(): boolean {
    return this.problems.some(({ severity }) => severity === 'error');
  }

  /** Entries of a mapping; of anything else, with a problem, none. Null is an empty mapping. */
  entries(node: Located, what: string): readonly Entry[] {
    if (node.kind === 'map') return node.entries;
    if (!isNull(node)) this.problem(node.at, `${what} must be a mapping`);
    return [];
  }

  /** Warns of unknown keys. */
  known(entries: readonly Entry[], keys: ReadonlySet<string>, what: string): void {
    for (const { key, at } of entries)
      if (!keys.has(key)) this.problem(at, `${what} has no key "${key.slice(0, 100)}"`, 'warning');
  }

  /** A text; numbers and booleans become one. Null and what is none are undefined. */
  text(node: Located | undefined, what: string): string | undefined {
    if (node === undefined || isNull(node)) return undefined;
    if (node.kind !== 'scalar') {
      this.problem(node.at, `${what} must be a text`);
      return undefined;
    }
    return typeof node.value === 'string' ? node.value : node.source || String(node.value);
  }

  /** A text or a list of texts. */
  texts(node: Located | undefined, what: string): string[] | undefined {
    if (node === undefined || isNull(node)) return undefined;
    const items = node.kind === 'list' ? node.items : [node];
    return items.flatMap((item) => this.text(item, what) ?? []);
  }

  boolean(node: Located | undefined, what: string): boolean {
    if (node === undefined || isNull(node)) return false;
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
    if (node.kind === 'scalar' && (node.value === 'true' || node.value === 'false')) return node.value === 'true';
    this.problem(node.at, `${what} must be true or false`);
    return false;
  }

  /** Every `${{ }}` of a node must be an expression. */
  expressions(node: Located | undefined): void {
    if (node === undefined) return;
    if (node.kind === 'list') for (const item of node.items) this.expressions(item);
    else if (node.kind === 'map') for (const { value } of node.entries) this.expressions(value);
    else if (typeof node.value === 'string' && hasExpression(node.value)) this.#check(node, node.value);
  }

  /** An `if:`, which may do without `${{ }}`. */
  condition(node: Located | undefined, what: string): string | undefined {
    const text = this.text(node, what);
    if (node === undefined || text === undefined || text.trim() === '') return undefined;
    if (hasExpression(text)) {
      if (!/^\s*\$\{\{[\s\S]*\}\}\s*$/.test(text) || text.indexOf('${{', 3) > 0)
        this.problem(node.at, `${what} mixes text and expressions: it is always true`, 'warning');
      this.#check(node, text);
    } else this.#expression(node, text);
    return text;
  }

  #check(node: Located, text: string): void {
    try {
      for (const part of textParts(text)) if ('expression' in part) this.#expression(node, part.expression);
    } catch (error) {
      this.#report(node, text, error);
    }
  }

  #expression(node: Located, text: string): void {
    try {
      for (const part of partsOf(parseExpression(text))) void part;
    } catch (error) {
      this.#report(node, text, error);
    }
  }

  #report(node: Located, text: string, error: unknown): void {
    if (!(error instanceof SyntaxProblem)) throw error;
    const shown = text.trim().replace(/\s+/g, ' ').slice(0, 80);
    this.problem(node.at, `${error.message} (in "${shown}")`);
  }
}

export const isNull = (node: Located): boolean => node.kind === 'scalar' && node.value === null;

/** The node of a key. */
export const child = (entries: readonly Entry[], key: string): Located | undefined =>
  entries.find((entry) => entry.key === key)?.value;

/** The plain value of a key; undefined without the key. */
export const childValue = (entries: readonly Entry[], key: string): Value | undefined => {
  const node = child(entries, key);
  return node === undefined ? undefined : plainValue(node);
};
