import type { Evaluation } from './evaluation.js';
import { sameValue } from './functions.js';
import { interpolateValue } from './interpolate.js';
import type { Job } from './types.js';
import { isList, isMap, limits, toText, within, WorkflowError, type Value, type ValueMap } from './values.js';

/** One combination of a matrix; no values without a matrix. */
export interface Cell {
  readonly values: ValueMap;
  /** Its place among the combinations as the matrix lists them, from 0. */
  readonly index: number;
}

/** Combinations of a job's matrix in the order of their names; one without values when there is none. Throws `WorkflowError`. */
export function expandMatrix(job: Job, evaluation: Evaluation): readonly Cell[] {
  const raw = job.strategy?.matrix;
  if (raw === undefined || raw === null) return [{ values: {}, index: 0 }];
  const where = `jobs.${job.id}.strategy.matrix`;
  try {
    const matrix = interpolateValue(raw, evaluation);
    if (!isMap(matrix)) throw new WorkflowError('a matrix must be a mapping');
    const cells = combinationsOf(matrix);
    if (cells.length > limits.jobsPerRun)
      throw new WorkflowError(
        `${cells.length} combinations are more than the ${limits.jobsPerRun} jobs that a run may have`,
      );
    const named = cells.map((values, index) => ({ values, index, name: cellName(values) }));
    return named
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      .map(({ values, index }) => ({ values, index }));
  } catch (error) {
    if (error instanceof WorkflowError && !error.where) throw new WorkflowError(error.message, where);
    throw error;
  }
}

function combinationsOf(matrix: ValueMap): ValueMap[] {
  const { include, exclude, ...axes } = matrix;
  const names = Object.keys(axes);
  let count = names.length === 0 ? 0 : 1;
  for (const name of names) {
    const values = axes[name]!;
    if (!isList(values)) throw new WorkflowError(`"${name}" must be a list`);
    count *= values.length;
    if (count > limits.combinations) throw new WorkflowError(`more than ${limits.combinations} combinations`);
  }
  let cells: ValueMap[] = names.length === 0 ? [] : [{}];
  for (const name of names)
    cells = cells.flatMap((cell) => (axes[name] as readonly Value[]).map((value) => ({ ...cell, [name]: value })));
  return included(excluded(cells, exclude, names), mappings(include, 'include'), names);
}

function mappings(value: Value | undefined, what: string): readonly ValueMap[] {
  if (value === undefined || value === null) return [];
  if (!isList(value) || value.length > limits.combinations || !value.every(isMap))
    throw new WorkflowError(`"${what}" must be a list of at most ${limits.combinations} mappings`);
  return value as readonly ValueMap[];
}

function excluded(cells: ValueMap[], exclude: Value | undefined, names: readonly string[]): ValueMap[] {
  let left = cells;
  for (const out of mappings(exclude, 'exclude')) {
    const unknown = Object.keys(out).find((key) => !names.includes(key));
    if (unknown !== undefined) throw new WorkflowError(`"exclude" names "${unknown}", which the matrix has not`);
    left = left.filter((cell) => !Object.entries(out).every(([key, value]) => isSame(cell[key]!, value)));
  }
  return left;
}

/** An entry is merged into each combination whose own values it leaves as they are; one that fits nowhere is a combination. */
function included(cells: readonly ValueMap[], include: readonly ValueMap[], names: readonly string[]): ValueMap[] {
  const merged = cells.map((cell) => ({ ...cell }));
  const extra: ValueMap[] = [];
  for (const entry of include) {
    let isUsed = false;
    const own = Object.entries(entry).filter(([key]) => names.includes(key));
    cells.forEach((cell, at) => {
      if (!own.every(([key, value]) => isSame(cell[key]!, value))) return;
      Object.assign(merged[at]!, entry);
      isUsed = true;
    });
    if (!isUsed) extra.push({ ...entry });
    if (merged.length + extra.length > limits.combinations)
      throw new WorkflowError(`more than ${limits.combinations} combinations`);
  }
  return [...merged, ...extra];
}

const isSame = (a: Value, b: Value): boolean =>
  typeof a === 'object' && a !== null
    ? JSON.stringify(a) === JSON.stringify(b)
    : typeof a === typeof b && sameValue(a, b);

/** Values in the order of their sorted keys: `v1, v2`; empty without values. */
export function cellName(values: ValueMap): string {
  return Object.keys(values)
    .sort()
    .map((key) => valueName(values[key]!))
    .join(', ');
}

const valueName = (value: Value): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value).slice(0, limits.nameLength) : toText(value);

/** `max-parallel` as a whole number from 1; undefined when there is none, or it limits nothing. */
function maxParallel(raw: Value | undefined): number | undefined {
  const number = typeof raw === 'number' ? raw : typeof raw === 'string' && /^[\d.]+$/.test(raw) ? Number(raw) : NaN;
  return number >= 1 ? Math.floor(number) : number > 0 ? 1 : undefined;
}

/** What `strategy` says of all combinations of a job, its expressions evaluated. */
interface Strategy {
  readonly failFast: boolean;
  /** Undefined: no limit. */
  readonly maxParallel?: number;
}

/** Throws `WorkflowError`. */
export function strategyOf(job: Job, evaluation: Evaluation): Strategy {
  const evaluated = (key: string, raw: Value | undefined): Value | undefined =>
    raw === undefined ? undefined : within(`jobs.${job.id}.strategy.${key}`, () => interpolateValue(raw, evaluation));
  const failFast = evaluated('fail-fast', job.strategy?.failFast);
  const limit = maxParallel(evaluated('max-parallel', job.strategy?.maxParallel));
  return {
    failFast: failFast !== false && failFast !== 'false',
    ...(limit === undefined ? {} : { maxParallel: limit }),
  };
}

/** The `strategy` context of one of `total` combinations. */
export const strategyContext = (
  { failFast, maxParallel: limit }: Strategy,
  index: number,
  total: number,
): ValueMap => ({
  'fail-fast': failFast,
  'job-index': index,
  'job-total': total,
  'max-parallel': limit ?? 4,
});
