import { evaluateTree } from './evaluate.js';
import { Budget, type Evaluation } from './evaluation.js';
import { parseExpression, partsOf, statusNames, type Expression } from './syntax.js';
import { SyntaxProblem } from './tokens.js';
import { isList, isMap, isTruthy, limits, toText, WorkflowError, type Value } from './values.js';

/** A text in its parts: plain ones, and expressions with the index at which theirs begins. */
type TextPart = { readonly text: string } | { readonly expression: string; readonly at: number };

/** Splits a text at `${{` and `}}`; braces within quoted texts of an expression do not end it. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf('${{', at);
    if (start < 0) break;
    const end = endOf(text, start + 3);
    if (end < 0) throw new SyntaxProblem('an expression is not closed by "}}"', start);
    if (start > at) parts.push({ text: text.slice(at, start) });
    parts.push({ expression: text.slice(start + 3, end), at: start + 3 });
    at = end + 2;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

function endOf(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") isQuoted = !isQuoted;
    else if (!isQuoted && text[at] === '}' && text[at + 1] === '}') return at;
  }
  return -1;
}

/** Has the text an expression? */
export const hasExpression = (text: string): boolean => text.includes('${{');

/** All `${{ }}` of a text; the result is text. Throws `WorkflowError`. */
export const interpolate = (text: string, evaluation: Evaluation): string =>
  hasExpression(text) ? joined(textParts(text), evaluation, new Budget(evaluation.budget)) : text;

function joined(parts: readonly TextPart[], evaluation: Evaluation, budget: Budget): string {
  let result = '';
  for (const part of parts) {
    result += 'text' in part ? part.text : toText(evaluateTree(parseExpression(part.expression), evaluation, budget));
    if (result.length > limits.resultLength) throw new WorkflowError('the result of the expressions is too long');
  }
  return result;
}

/** The same for each text of a value; a text that is a single expression becomes its value. Throws `WorkflowError`. */
export function interpolateValue(value: Value, evaluation: Evaluation): Value {
  const budget = new Budget(evaluation.budget);
  const inside = (one: Value): Value => {
    if (typeof one === 'string') {
      if (!hasExpression(one)) return one;
      const parts = textParts(one);
      const [only] = parts;
      return parts.length === 1 && only && 'expression' in only
        ? evaluateTree(parseExpression(only.expression), evaluation, budget)
        : joined(parts, evaluation, budget);
    }
    if (isList(one)) return one.map(inside);
    return isMap(one) ? Object.fromEntries(Object.entries(one).map(([key, each]) => [key, inside(each)])) : one;
  };
  return inside(value);
}

/** The trees of all expressions of a value. Throws `SyntaxProblem`. */
export function expressionsOf(value: Value | undefined): Expression[] {
  if (typeof value === 'string') {
    if (!hasExpression(value)) return [];
    return textParts(value).flatMap((part) => ('expression' in part ? [parseExpression(part.expression)] : []));
  }
  if (isList(value)) return value.flatMap(expressionsOf);
  return isMap(value) ? Object.values(value).flatMap(expressionsOf) : [];
}

/** Does one of the expressions of the value name the context? A broken expression names none. */
export function usesContext(value: Value | undefined, name: string): boolean {
  try {
    return expressionsOf(value).some((tree) =>
      [...partsOf(tree)].some((part) => part.kind === 'context' && part.name === name),
    );
  } catch {
    return false;
  }
}

/** What an `if:` is: one expression, or a text with some, which is true unless empty. */
function conditionOf(condition: string): Expression | readonly TextPart[] {
  const text = condition.trim();
  if (!hasExpression(text)) return parseExpression(text);
  const parts = textParts(text);
  const [only] = parts;
  return parts.length === 1 && only && 'expression' in only ? parseExpression(only.expression) : parts;
}

/** Which of success, failure, always and cancelled a condition calls. A broken one calls none. */
export function statusFunctions(condition: string | undefined): ReadonlySet<string> {
  if (condition === undefined || condition.trim() === '') return new Set();
  try {
    const tree = conditionOf(condition);
    return 'kind' in tree ? calls(tree) : new Set(expressionsOf(condition).flatMap((one) => [...calls(one)]));
  } catch {
    return new Set();
  }
}

const calls = (tree: Expression): Set<string> =>
  new Set(
    [...partsOf(tree)].flatMap((part) => (part.kind === 'call' && statusNames.has(part.name) ? [part.name] : [])),
  );

/**
 * An `if:`, with or without `${{ }}`; none is `success()`, and one without a status function means `success() && …`.
 * Throws `WorkflowError`.
 */
export function evaluateCondition(condition: string | undefined, evaluation: Evaluation): boolean {
  const isGood = evaluation.status?.success ?? true;
  if (condition === undefined || condition.trim() === '') return isGood;
  const tree = conditionOf(condition);
  if (!isGood && statusFunctions(condition).size === 0) return false;
  const value =
    'kind' in tree
      ? evaluateTree(tree, evaluation, new Budget(evaluation.budget))
      : joined(tree, evaluation, new Budget(evaluation.budget));
  return isTruthy(value);
}
