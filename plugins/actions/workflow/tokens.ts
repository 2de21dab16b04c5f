import { limits, numberOf, WorkflowError, type Value } from './values.js';

export interface Token {
  readonly kind: 'literal' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly value: Value;
  /** Index of its first character. */
  readonly at: number;
}

const signs = ['==', '!=', '<=', '>=', '&&', '||', '(', ')', '[', ']', '.', ',', '!', '<', '>', '*'];
const words = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', NaN],
  ['Infinity', Infinity],
]);

/** What is wrong with an expression, and where in its text. */
export class SyntaxProblem extends WorkflowError {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** The signs of an expression. */
export function tokensOf(text: string): Token[] {
  if (text.length > limits.expressionLength)
    throw new SyntaxProblem(`the expression is longer than ${limits.expressionLength} characters`, 0);
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    if (/\s/.test(char)) {
      at++;
      continue;
    }
    const token =
      char === "'" ? quoted(text, at) : (number(text, at, tokens.at(-1)) ?? name(text, at) ?? sign(text, at));
    tokens.push(token);
    at += token.text.length;
  }
  tokens.push({ kind: 'end', text: '', value: null, at: text.length });
  return tokens;
}

function quoted(text: string, at: number): Token {
  let value = '';
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] !== "'") value += text[i];
    else if (text[i + 1] === "'") {
      value += "'";
      i++;
    } else return { kind: 'literal', text: text.slice(at, i + 1), value, at };
  }
  throw new SyntaxProblem('a text in single quotes does not end', at);
}

const numbers = /[+-]?(?:0[xo][\da-f]+|Infinity\b|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/iy;

function number(text: string, at: number, before: Token | undefined): Token | undefined {
  const char = text[at]!;
  const afterName = before?.kind === 'name' || before?.text === ']' || before?.text === ')' || before?.text === '*';
  if (!/[\d+.-]/.test(char) || (char === '.' && afterName)) return undefined;
  numbers.lastIndex = at;
  const match = numbers.exec(text)?.[0];
  if (match === undefined) return undefined;
  const value = numberOf(match);
  if (Number.isNaN(value) || /[\w.]/.test(text[at + match.length] ?? ''))
    throw new SyntaxProblem(`"${text.slice(at, at + match.length + 1)}" is no number`, at);
  return { kind: 'literal', text: match, value, at };
}

const names = /[a-z_][\w-]*/iy;

function name(text: string, at: number): Token | undefined {
  names.lastIndex = at;
  const match = names.exec(text)?.[0];
  if (match === undefined) return undefined;
  return { kind: 'name', text: match, value: words.get(match) ?? null, at };
}

function sign(text: string, at: number): Token {
  const found = signs.find((one) => text.startsWith(one, at));
  if (found === undefined)
    throw new SyntaxProblem(
      text[at] === '"' ? 'texts stand in single quotes' : `"${text[at]}" has no meaning in an expression`,
      at,
    );
  return { kind: 'sign', text: found, value: null, at };
}

/** true, false, null, NaN and Infinity. */
export const isWord = (token: Token): boolean => token.kind === 'name' && words.has(token.text);
