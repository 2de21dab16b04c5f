import type { Document, Node, YAMLMap } from 'yaml';
import { yamlLibrary } from './library.js';
import { limits, type Value } from './values.js';
import type { Problem } from './types.js';

/** A node of a file with the index at which it begins. */
export type Located =
  | {
      readonly kind: 'scalar';
      readonly at: number;
      readonly value: null | boolean | number | string;
      readonly source: string;
    }
  | { readonly kind: 'list'; readonly at: number; readonly items: readonly Located[] }
  | { readonly kind: 'map'; readonly at: number; readonly entries: readonly Entry[] };
export interface Entry {
  readonly key: string;
  readonly at: number;
  readonly value: Located;
}

/** What is wrong, at an index of the text. */
class YamlProblem extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** A file as nodes, and where in it an index stands. */
export interface LocatedFile {
  readonly root?: Located;
  readonly problems: readonly Problem[];
  place(at: number): { readonly line: number; readonly column: number };
}

/** Reads YAML of at most 1 MiB; never throws. */
export function readYaml(input: string | Uint8Array, file: string): LocatedFile {
  const { LineCounter, parseDocument } = yamlLibrary();
  const lines = new LineCounter();
  const place = (at: number) => {
    const { line, col } = lines.linePos(at);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const failed = (at: number, message: string): LocatedFile => ({
    problems: [{ file, severity: 'error', message, ...place(at) }],
    place,
  });
  let text: string;
  try {
    const size = typeof input === 'string' ? Buffer.byteLength(input) : input.byteLength;
    if (size > limits.fileBytes) return failed(0, `the file is larger than ${limits.fileBytes} bytes`);
    text =
      typeof input === 'string'
        ? input.replace(/^\uFEFF/, '')
        : new TextDecoder('utf-8', { fatal: true }).decode(input);
  } catch {
    return failed(0, 'the file is not encoded as UTF-8');
  }
  const tooDeep = depthProblem(text);
  if (tooDeep !== undefined) {
    lines.addNewLine(0);
    for (let at = text.indexOf('\n'); at >= 0 && at < tooDeep; at = text.indexOf('\n', at + 1))
      lines.addNewLine(at + 1);
    return failed(tooDeep, `the file is nested deeper than ${limits.depth} levels`);
  }
  if (text.length > 65_536 && hasTooManyTokens(text)) return failed(0, `the file has more than ${limits.nodes} values`);
  try {
    // Duplicate keys are looked for below: the library compares each with each.
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'silent',
    });
    const [error] = document.errors;
    if (error) return failed(error.pos[0], reason(error.message));
    return { root: new Locator().locate(document), problems: [], place };
  } catch (error) {
    if (error instanceof YamlProblem) return failed(error.at, error.message);
    return failed(0, error instanceof Error ? reason(error.message) : 'the file cannot be read');
  }
}

function reason(message: string): string {
  if (message.includes('call stack')) return 'the file is nested too deeply';
  return message.split('\n', 1)[0]!.slice(0, 300);
}

/**
 * Where brackets, or lists in one line, are opened deeper than anybody needs: the library goes down by calling itself.
 * Brackets in texts count too, so the bound is far above that of the nesting.
 */
function depthProblem(text: string): number | undefined {
  let depth = 0;
  for (const { 0: sign, index } of text.matchAll(/[[\]{}]/g)) {
    if (sign === '[' || sign === '{') depth++;
    else depth = Math.max(depth - 1, 0);
    if (depth > 10 * limits.depth) return index;
  }
  return /(?:[-?] {1,2}){150}/.exec(text)?.index;
}

/** Counting is many times faster than reading. */
function hasTooManyTokens(text: string): boolean {
  let left = 4 * limits.nodes;
  const { Lexer } = yamlLibrary();
  const tokens = new Lexer().lex(text);
  while (!tokens.next().done) if (--left < 0) return true;
  return false;
}

class Locator {
  #count = 0;
  #length = 0;
  readonly #anchors = new Map<string, Node>();
  readonly #yaml = yamlLibrary();

  locate(document: Document.Parsed): Located {
    return this.#node(document.contents, 0, 0);
  }

  #node(node: unknown, at: number, depth: number): Located {
    const { isAlias, isMap, isScalar, isSeq } = this.#yaml;
    const start = (node as Node | null)?.range?.[0] ?? at;
    if (++this.#count > limits.nodes) throw new YamlProblem(`the file has more than ${limits.nodes} values`, start);
    if (depth > limits.depth) throw new YamlProblem(`the file is nested deeper than ${limits.depth} levels`, start);
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (!target) throw new YamlProblem(`there is no anchor "${node.source}"`, start);
      return { ...this.#node(target, start, depth + 1), at: start };
    }
    if (isScalar(node) || isSeq(node) || isMap(node)) {
      const { anchor } = node;
      if (anchor) this.#anchors.set(anchor, node as Node);
    }
    if (isSeq(node))
      return { kind: 'list', at: start, items: node.items.map((item) => this.#node(item, start, depth + 1)) };
    if (isMap(node)) return { kind: 'map', at: start, entries: this.#entries(node, start, depth) };
    const value: unknown = isScalar(node) ? node.value : null;
    const plain =
      value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string'
        ? value
        : isScalar(node)
          ? (node.source ?? '')
          : '';
    if (typeof plain === 'string') this.#length += plain.length;
    if (this.#length > limits.textLength)
      throw new YamlProblem(`the values of the file have more than ${limits.textLength} characters together`, start);
    return { kind: 'scalar', at: start, value: plain, source: (isScalar(node) ? node.source : undefined) ?? '' };
  }

  #entries(map: YAMLMap, at: number, depth: number): Entry[] {
    const { isPair, isScalar } = this.#yaml;
    const entries = new Map<string, Entry>();
    const merged: Entry[] = [];
    for (const pair of map.items) {
      if (!isPair(pair)) continue;
      const keyNode = this.#node(pair.key, at, depth + 1);
      if (keyNode.kind !== 'scalar') throw new YamlProblem('a key must be a text', keyNode.at);
      const key = typeof keyNode.value === 'string' ? keyNode.value : keyNode.source || String(keyNode.value);
      const value = this.#node(pair.value, keyNode.at, depth + 1);
      if (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN') merged.push(...this.#merge(value));
      else if (entries.has(key)) throw new YamlProblem(`the key "${key.slice(0, 100)}" stands twice`, keyNode.at);
      else entries.set(key, { key, at: keyNode.at, value });
    }
    for (const entry of merged) if (!entries.has(entry.key)) entries.set(entry.key, entry);
    return [...entries.values()];
  }

  #merge(value: Located): readonly Entry[] {
    if (value.kind === 'map') return value.entries;
    if (value.kind === 'list' && value.items.every((item) => item.kind === 'map'))
      return value.items.flatMap((item) => (item.kind === 'map' ? item.entries : []));
    throw new YamlProblem('"<<" takes a mapping or a list of mappings', value.at);
  }
}

/** A node as a plain value. */
export function plainValue(node: Located): Value {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
}
