import type { Budget, Evaluation } from './evaluation.js';
import { isList, isMap, limits, numberOf, toText, WorkflowError, type Value } from './values.js';

/** A function by its lower-case name; the parser has checked the number of arguments. */
export function callFunction(name: string, args: readonly Value[], evaluation: Evaluation, budget: Budget): Value {
  const [first = null, second = null] = args;
  switch (name) {
    case 'contains':
      return contains(first, second, budget);
    case 'startswith':
      return isPlain(first) && isPlain(second) && lower(first, budget).startsWith(lower(second, budget));
    case 'endswith':
      return isPlain(first) && isPlain(second) && lower(first, budget).endsWith(lower(second, budget));
    case 'format':
      return format(toText(first), args.slice(1), budget);
    case 'join':
      return join(first, args.length > 1 ? toText(second) : ',', budget);
    case 'tojson':
      return budget.text(toJson(first, budget));
    case 'fromjson':
      return fromJson(toText(first), budget);
    case 'hashfiles':
      if (!evaluation.hashFiles) throw new WorkflowError('hashFiles() works in steps only');
      return budget.text(evaluation.hashFiles(args.map(toText)));
    case 'always':
      return true;
    default:
      return status(name, evaluation);
  }
}

function status(name: string, { status: flags }: Evaluation): boolean {
  if (!flags) throw new WorkflowError(`${name}() works in "if" only`);
  if (name === 'success') return flags.success;
  return name === 'failure' ? flags.failure : flags.cancelled;
}

const isPlain = (value: Value): boolean => !isList(value) && !isMap(value);

const lower = (value: Value, budget: Budget): string => budget.text(toText(value)).toLowerCase();

/** As `==` compares: texts whatever their case, different kinds as numbers, lists and maps only with themselves. */
export function sameValue(left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string')
    return left === right || (left.length === right.length && left.toLowerCase() === right.toLowerCase());
  if (!isPlain(left) || !isPlain(right)) return left === right;
  return asNumber(left) === asNumber(right);
}

function contains(where: Value, what: Value, budget: Budget): boolean {
  if (isList(where)) {
    budget.spend(where.length);
    return where.some((one) => {
      budget.read(one);
      return sameValue(one, what);
    });
  }
  return isPlain(where) && isPlain(what) && lower(where, budget).includes(lower(what, budget));
}

function format(pattern: string, args: readonly Value[], budget: Budget): string {
  let result = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    if ((char === '{' || char === '}') && pattern[at + 1] === char) {
      result += char;
      at++;
    } else if (char === '{') {
      const end = pattern.indexOf('}', at);
      const place = end < 0 ? '' : pattern.slice(at + 1, end);
      if (!/^\d{1,3}$/.test(place))
        throw new WorkflowError(`format(): "${pattern.slice(at, at + 10)}" is no placeholder`);
      if (Number(place) >= args.length) throw new WorkflowError(`format(): there is no argument for {${place}}`);
      result += toText(args[Number(place)]!);
      budget.spend(1);
      at = end;
    } else if (char === '}') throw new WorkflowError('format(): a single "}" is written "}}"');
    else result += char;
    if (result.length > limits.resultLength) throw new WorkflowError('the result of the expression is too long');
  }
  return budget.text(result);
}

function join(value: Value, separator: string, budget: Budget): string {
  if (isMap(value)) return '';
  if (!isList(value)) return toText(value);
  budget.spend(value.length);
  let length = separator.length * value.length;
  for (const one of value) length += typeof one === 'string' ? one.length : 1;
  if (length > limits.resultLength) throw new WorkflowError('the result of the expression is too long');
  return budget.text(value.map(toText).join(separator));
}

function toJson(value: Value, budget: Budget): string {
  measure(value, budget);
  return JSON.stringify(
    value,
    (_key, one: unknown) => (typeof one === 'number' && !Number.isFinite(one) ? String(one) : one),
    2,
  );
}

function fromJson(text: string, budget: Budget): Value {
  budget.text(text);
  let value: Value;
  try {
    value = JSON.parse(text) as Value;
  } catch {
    throw new WorkflowError(text.trim() === '' ? 'fromJSON(): the text is empty' : 'fromJSON(): the text is no JSON');
  }
  measure(value, budget);
  return value;
}

/** A value must be neither too deep nor too large to be written. */
function measure(value: Value, budget: Budget, depth = 0): void {
  if (depth > limits.depth) throw new WorkflowError(`the value is nested deeper than ${limits.depth} levels`);
  if (typeof value === 'string') budget.spend(1 + Math.floor(value.length / 64));
  else budget.spend(1);
  if (isList(value)) for (const one of value) measure(one, budget, depth + 1);
  else if (isMap(value)) for (const one of Object.values(value)) measure(one, budget, depth + 1);
}

/** Null is 0, true is 1, false is 0, lists and maps are no numbers. */
export function asNumber(value: Value): number {
  if (value === null) return 0;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' ? numberOf(value) : NaN;
}
