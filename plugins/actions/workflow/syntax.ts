import { isWord, SyntaxProblem, tokensOf, type Token } from './tokens.js';
import { limits, type Value } from './values.js';

/** An expression as a tree. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'context'; readonly name: string; readonly at: number }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[]; readonly at: number }
  | { readonly kind: 'index'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'all'; readonly of: Expression }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'compare'; readonly sign: Comparison; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'logic'; readonly sign: '&&' | '||'; readonly parts: readonly Expression[] };
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** Numbers of arguments: at least, at most. */
const functions: Readonly<Record<string, readonly [number, number]>> = {
  contains: [2, 2],
  startswith: [2, 2],
  endswith: [2, 2],
  format: [1, 255],
  join: [1, 2],
  tojson: [1, 1],
  fromjson: [1, 1],
  hashfiles: [1, 255],
  always: [0, 0],
  success: [0, 0],
  failure: [0, 0],
  cancelled: [0, 0],
};

/** Contexts that expressions may name; the last two are other names of `github`. */
const contextNames: ReadonlySet<string> = new Set(
  'github env vars job jobs steps runner secrets strategy matrix needs inputs gitea mortise'.split(' '),
);

export const statusNames: ReadonlySet<string> = new Set(['always', 'success', 'failure', 'cancelled']);

const kept = new Map<string, Expression | SyntaxProblem>();

/** The tree of an expression; the last few hundred are kept. Throws `SyntaxProblem`. */
export function parseExpression(text: string): Expression {
  let parsed = kept.get(text);
  if (parsed === undefined) {
    parsed = read(text);
    if (kept.size >= 500) kept.delete(kept.keys().next().value!);
    if (text.length <= 1000) kept.set(text, parsed);
  }
  if (parsed instanceof SyntaxProblem) throw parsed;
  return parsed;
}

function read(text: string): Expression | SyntaxProblem {
  try {
    return new Parser(tokensOf(text)).whole();
  } catch (error) {
    if (error instanceof SyntaxProblem) return error;
    throw error;
  }
}

class Parser {
  #at = 0;
  #depth = 0;
  readonly #tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    if (this.#tokens.length === 1) throw new SyntaxProblem('the expression is empty', 0);
    const tree = this.#or();
    const { kind, text, at } = this.#now;
    if (kind !== 'end') throw new SyntaxProblem(`unexpected "${text}"`, at);
    return tree;
  }

  get #now(): Token {
    return this.#tokens[this.#at]!;
  }

  #take(text: string): boolean {
    const { kind, text: found } = this.#now;
    if (kind !== 'sign' || found !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (this.#take(text)) return;
    const { kind, text: found, at } = this.#now;
    throw new SyntaxProblem(`expected "${text}" ${kind === 'end' ? 'at the end' : `instead of "${found}"`}`, at);
  }

  #deeper<T>(work: () => T): T {
    if (++this.#depth > limits.depth)
      throw new SyntaxProblem(`the expression is nested deeper than ${limits.depth} levels`, this.#now.at);
    const result = work();
    this.#depth--;
    return result;
  }

  #or(): Expression {
    return this.#deeper(() => this.#logic('||', () => this.#logic('&&', () => this.#equality())));
  }

  #logic(sign: '&&' | '||', part: () => Expression): Expression {
    const parts = [part()];
    while (this.#take(sign)) parts.push(part());
    return parts.length === 1 ? parts[0]! : { kind: 'logic', sign, parts };
  }

  #equality(): Expression {
    return this.#compare(['==', '!='], () => this.#compare(['<=', '>=', '<', '>'], () => this.#unary()));
  }

  #compare(signs: readonly Comparison[], part: () => Expression): Expression {
    let left = part();
    for (let count = 0; ; count++) {
      const sign = signs.find((one) => this.#take(one));
      if (sign === undefined) return left;
      if (count > limits.depth) throw new SyntaxProblem('too many comparisons in a row', this.#now.at);
      left = { kind: 'compare', sign, left, right: part() };
    }
  }

  #unary(): Expression {
    if (this.#take('!')) return this.#deeper(() => ({ kind: 'not', of: this.#unary() }));
    return this.#postfix(this.#primary());
  }

  #postfix(start: Expression): Expression {
    let tree = start;
    for (let count = 0; ; count++) {
      if (count > limits.depth) throw new SyntaxProblem('too many parts in a row', this.#now.at);
      if (this.#take('.')) {
        if (this.#take('*')) tree = { kind: 'all', of: tree };
        else tree = { kind: 'index', of: tree, key: { kind: 'literal', value: this.#property() } };
      } else if (this.#take('[')) {
        if (this.#take('*')) tree = { kind: 'all', of: tree };
        else tree = { kind: 'index', of: tree, key: this.#or() };
        this.#expect(']');
      } else return tree;
    }
  }

  #property(): string {
    const { kind, text, at } = this.#now;
    if (kind !== 'name') throw new SyntaxProblem('a name must follow "."', at);
    this.#at++;
    return text;
  }

  #primary(): Expression {
    const token = this.#now;
    if (this.#take('(')) {
      const tree = this.#or();
      this.#expect(')');
      return tree;
    }
    if (token.kind === 'end') throw new SyntaxProblem('the expression ends too early', token.at);
    if (token.kind === 'sign') throw new SyntaxProblem(`unexpected "${token.text}"`, token.at);
    this.#at++;
    if (token.kind === 'literal' || isWord(token)) return { kind: 'literal', value: token.value };
    if (this.#take('(')) return this.#call(token);
    const name = token.text.toLowerCase();
    if (!contextNames.has(name)) throw new SyntaxProblem(`there is no context "${token.text}"`, token.at);
    return { kind: 'context', name: name === 'gitea' || name === 'mortise' ? 'github' : name, at: token.at };
  }

  #call(token: Token): Expression {
    const name = token.text.toLowerCase();
    const bounds = Object.hasOwn(functions, name) ? functions[name]! : undefined;
    if (!bounds) throw new SyntaxProblem(`there is no function "${token.text}"`, token.at);
    const args: Expression[] = [];
    if (!this.#take(')')) {
      do args.push(this.#or());
      while (this.#take(','));
      this.#expect(')');
    }
    const [least, max] = bounds;
    if (args.length < least || args.length > max)
      throw new SyntaxProblem(
        `${token.text}() takes ${max === 255 ? `${least} or more` : least === max ? least : `${least} to ${max}`} arguments, not ${args.length}`,
        token.at,
      );
    return { kind: 'call', name, args, at: token.at };
  }
}

/** Every part of an expression. */
export function* partsOf(tree: Expression): Generator<Expression> {
  yield tree;
  if (tree.kind === 'call') for (const one of tree.args) yield* partsOf(one);
  else if (tree.kind === 'logic') for (const one of tree.parts) yield* partsOf(one);
  else if (tree.kind === 'compare') {
    yield* partsOf(tree.left);
    yield* partsOf(tree.right);
  } else if (tree.kind === 'index') {
    yield* partsOf(tree.of);
    yield* partsOf(tree.key);
  } else if (tree.kind === 'not' || tree.kind === 'all') yield* partsOf(tree.of);
}
