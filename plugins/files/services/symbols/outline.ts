/** Reads the symbols of a text. Runs in threads, for what strangers wrote may take long to parse. */
import type { SyntaxNodeRef, Tree } from '@lezer/common';
import type { Grammar } from './grammars.js';

/** Each has the text `symbols.kind.…`, but for headings. */
export type SymbolKind =
  | 'class'
  | 'interface'
  | 'struct'
  | 'enum'
  | 'trait'
  | 'type'
  | 'implementation'
  | 'module'
  | 'function'
  | 'method'
  | 'macro'
  | 'heading';

export interface FileSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** From 1. */
  readonly line: number;
  /** How many symbols this one stands in. */
  readonly depth: number;
}

export interface Outline {
  readonly symbols: readonly FileSymbol[];
  /** There are more symbols than are listed. */
  readonly isCut: boolean;
}

const maxSymbols = 2_000;
const maxName = 200;
const maxDepth = 8;

/** What holds methods. */
const types: ReadonlySet<SymbolKind> = new Set(['class', 'interface', 'struct', 'enum', 'trait', 'implementation']);
/** What is not looked into: what functions define within is theirs alone. */
const leaves: ReadonlySet<SymbolKind> = new Set(['function', 'method', 'macro']);

export function outlineOf({ parser, rules }: Grammar, text: string): Outline {
  const tree = parser.parse(text);
  const lineOf = lineCounter(text);
  if (tree.type.name === 'Document') return headingsOf(tree, text, lineOf);
  const symbols: FileSymbol[] = [];
  /** The symbols that the next one may stand in, the outermost first. */
  const open: { readonly symbol: FileSymbol; readonly to: number }[] = [];
  let isCut = false;
  tree.iterate({
    enter(ref) {
      const rule = Object.hasOwn(rules, ref.name) ? rules[ref.name] : undefined;
      const place = rule?.name(ref.node, text);
      if (!rule || !place || isCut) return !isCut;
      while (open.length > 0 && open.at(-1)!.to <= ref.from) open.pop();
      const parent = open.at(-1)?.symbol;
      const own = typeof rule.kind === 'string' ? rule.kind : rule.kind(ref.node);
      const kind = own === 'function' && parent && types.has(parent.kind) ? 'method' : own;
      const name = oneLine((rule.prefix?.(ref.node, text) ?? '') + text.slice(place.from, place.to));
      const symbol = { name, kind, line: lineOf(place.from), depth: Math.min(open.length, maxDepth) };
      if (!name) return true;
      if (symbols.length >= maxSymbols) isCut = true;
      else symbols.push(symbol);
      if (leaves.has(kind)) return false;
      open.push({ symbol, to: ref.to });
      return !isCut;
    },
  });
  return { symbols, isCut };
}

/** Headings stand below the last one of a higher level. */
function headingsOf(tree: Tree, text: string, lineOf: (offset: number) => number): Outline {
  const symbols: FileSymbol[] = [];
  const levels: number[] = [];
  let isCut = false;
  tree.iterate({
    enter(ref) {
      const level = Number(/^(?:ATX|Setext)Heading(\d)$/.exec(ref.name)?.[1]);
      if (!level) return !isCut;
      const name = oneLine(headingText(ref, text));
      if (symbols.length >= maxSymbols) isCut = true;
      if (!name || isCut) return false;
      while (levels.length > 0 && levels.at(-1)! >= level) levels.pop();
      symbols.push({ name, kind: 'heading', line: lineOf(ref.from), depth: levels.length });
      levels.push(level);
      return false;
    },
  });
  return { symbols, isCut };
}

/** Without the signs of Markdown and the addresses of links. */
function headingText(ref: SyntaxNodeRef, text: string): string {
  let shown = '';
  let at = ref.from;
  ref.node.cursor().iterate(({ name, from, to }) => {
    if (!/Mark$|^(?:URL|LinkTitle|HTMLTag)$/.test(name)) return;
    if (from > at) shown += text.slice(at, from);
    at = Math.max(at, to);
  });
  return shown + text.slice(at, ref.to);
}

const oneLine = (name: string): string =>
  name
    .slice(0, 2 * maxName)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxName);

/** Gives the number of the line that an offset stands in. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
