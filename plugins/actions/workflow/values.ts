/** Values of workflow files and expressions, and what everything here is bounded by. */

export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };
export type ValueMap = { readonly [key: string]: Value };

/** Something of a workflow that cannot be evaluated or bound. Its message may be shown to users. */
export class WorkflowError extends Error {
  /** The place in the workflow, for example `jobs.build.if`. */
  readonly where: string | undefined;

  constructor(message: string, where?: string) {
    super(where ? `${where}: ${message}` : message);
    this.name = 'WorkflowError';
    this.where = where;
  }
}

/** Errors of the work name the place. */
export function within<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof WorkflowError && !error.where) throw new WorkflowError(error.message, where);
    throw error;
  }
}

/** Bounds of workflows. Sizes in bytes or characters, others are counts. */
export const limits = {
  fileBytes: 1_048_576,
  /** Nodes of a file after its aliases were followed. */
  nodes: 100_000,
  /** Characters of all keys and values of a file after its aliases were followed. */
  textLength: 2_097_152,
  /** Characters of the files of all jobs of a run. */
  payloadsLength: 8_388_608,
  /** Patterns of one filter. */
  patterns: 200,
  /** Times of `schedule` of one workflow. */
  schedules: 20,
  /** Changed files that path filters match at most. */
  changedFiles: 3000,
  /** Nesting of a file, of an expression and of JSON. */
  depth: 100,
  expressionLength: 21_000,
  /** Steps of one evaluation; each element visited counts as one. */
  evaluationSteps: 100_000,
  /** Steps of all evaluations while a run goes from one state to the next. */
  reconcileSteps: 1_000_000,
  /** Characters that an expression or an interpolated text may give. */
  resultLength: 1_048_576,
  jobsPerRun: 256,
  /** Combinations of a matrix before some are excluded. */
  combinations: 4096,
  /** Levels of callers below a top-level caller. */
  callerDepth: 9,
  outputKey: 255,
  outputValue: 1_048_576,
  nameLength: 255,
  problems: 100,
} as const;

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

export const isMap = (value: Value | undefined): value is ValueMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As expressions write a value into a text. */
export function toText(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  return isList(value) ? 'Array' : 'Object';
}

function numberText(value: number): string {
  if (Object.is(value, -0)) return '0';
  return Number.isFinite(value) ? String(Number(value.toPrecision(15))) : String(value);
}

/** False are null, false, 0, NaN and the empty text. */
export const isTruthy = (value: Value): boolean =>
  !(value === null || value === false || value === '' || value === 0 || Number.isNaN(value));

/** A key of a map, whatever its case; the exact one first. */
export function lookUp(map: ValueMap, name: string): Value | undefined {
  if (Object.hasOwn(map, name)) return map[name];
  const lower = name.toLowerCase();
  const key = Object.keys(map).find((one) => one.length === name.length && one.toLowerCase() === lower);
  return key === undefined ? undefined : map[key];
}

/** What a text is as a number: the empty text is 0, what is none is NaN. */
export function numberOf(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') return 0;
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  if (/^0(?:x[\da-f]+|o[0-7]+)$/.test(trimmed.toLowerCase())) return Number(trimmed.toLowerCase());
  if (/^[+-]?Infinity$/.test(trimmed)) return trimmed.startsWith('-') ? -Infinity : Infinity;
  return NaN;
}

/** The text as UTF-8 without a broken sign at its end, of at most so many characters. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
