import { Budget, type Contexts, type Evaluation } from './evaluation.js';
import { asNumber, callFunction, sameValue } from './functions.js';
import { parseExpression, type Comparison, type Expression } from './syntax.js';
import { isList, isMap, isTruthy, lookUp, numberOf, toText, type Value } from './values.js';

/** What `*` gave: further keys are taken of each of its elements. */
class Filtered {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

/** The value of an expression, which is given without `${{ }}`. Throws `WorkflowError`. */
export function evaluate(expression: string, evaluation: Evaluation): Value {
  return evaluateTree(parseExpression(expression), evaluation, new Budget(evaluation.budget));
}

export function evaluateTree(tree: Expression, evaluation: Evaluation, budget: Budget): Value {
  const value = walk(tree, evaluation, budget);
  return value instanceof Filtered ? value.items : value;
}

function walk(tree: Expression, evaluation: Evaluation, budget: Budget): Value | Filtered {
  budget.spend(1);
  const valueOf = (part: Expression): Value => evaluateTree(part, evaluation, budget);
  switch (tree.kind) {
    case 'literal':
      return tree.value;
    case 'context':
      return evaluation.contexts[tree.name as keyof Contexts] ?? null;
    case 'call':
      return callFunction(tree.name, tree.args.map(valueOf), evaluation, budget);
    case 'index':
      return indexed(walk(tree.of, evaluation, budget), valueOf(tree.key), budget);
    case 'all':
      return all(walk(tree.of, evaluation, budget), budget);
    case 'not':
      return !isTruthy(valueOf(tree.of));
    case 'compare':
      return compare(tree.sign, valueOf(tree.left), valueOf(tree.right), budget);
    case 'logic': {
      let last: Value = null;
      for (const part of tree.parts) {
        last = valueOf(part);
        if (isTruthy(last) === (tree.sign === '||')) return last;
      }
      return last;
    }
  }
}

function indexed(of: Value | Filtered, key: Value, budget: Budget): Value | Filtered {
  if (!(of instanceof Filtered)) return elementOf(of, key, budget) ?? null;
  budget.spend(of.items.length);
  const items = of.items.map((item) => elementOf(item, key, budget)).filter((item) => item !== undefined);
  return new Filtered(items);
}

function elementOf(of: Value, key: Value, budget: Budget): Value | undefined {
  if (isList(of)) {
    const at = typeof key === 'number' ? key : typeof key === 'string' ? numberOf(key) : NaN;
    return at >= 0 ? of[Math.floor(at)] : undefined;
  }
  if (!isMap(of) || isList(key) || isMap(key)) return undefined;
  const name = toText(key);
  if (Object.hasOwn(of, name)) return of[name];
  budget.spend(Math.floor(Object.keys(of).length / 16));
  return lookUp(of, name);
}

function all(of: Value | Filtered, budget: Budget): Filtered {
  const elements = (value: Value): readonly Value[] =>
    isList(value) ? value : isMap(value) ? Object.values(value) : [];
  const items = of instanceof Filtered ? of.items.flatMap(elements) : elements(of);
  budget.spend(items.length);
  return new Filtered(items);
}

function compare(sign: Comparison, left: Value, right: Value, budget: Budget): boolean {
  budget.read(left);
  budget.read(right);
  if (sign === '==') return sameValue(left, right);
  if (sign === '!=') return !sameValue(left, right);
  const [a, b] =
    typeof left === 'string' && typeof right === 'string'
      ? [left.toUpperCase(), right.toUpperCase()]
      : [asNumber(left), asNumber(right)];
  if (sign === '<') return a < b;
  if (sign === '<=') return a <= b;
  return sign === '>' ? a > b : a >= b;
}
