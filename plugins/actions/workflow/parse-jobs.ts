import { readConcurrency, readPermissions } from './parse-common.js';
import { child, childValue, isNull, type Reader } from './reader.js';
import type { Job, RawStrategy, Step } from './types.js';
import { isMap, limits, toText, type ValueMap } from './values.js';
import { plainValue, type Entry, type Located } from './yaml.js';

const jobKeys: ReadonlySet<string> = new Set(
  'name needs if runs-on uses with secrets outputs permissions concurrency strategy continue-on-error timeout-minutes environment env defaults steps container services'.split(
    ' ',
  ),
);
const stepKeys: ReadonlySet<string> = new Set(
  'id name if uses with run shell working-directory env continue-on-error timeout-minutes'.split(' '),
);
const idPattern = /^[A-Za-z_][\w-]{0,99}$/;

export function readJobs(reader: Reader, node: Located): Job[] {
  const entries = reader.entries(node, '"jobs"');
  if (entries.length === 0) reader.problem(node.at, 'the workflow has no jobs');
  if (entries.length > limits.jobsPerRun) {
    reader.problem(node.at, `the workflow has more than ${limits.jobsPerRun} jobs`);
    return [];
  }
  const jobs = entries.map((entry) => readJob(reader, entry));
  checkNeeds(reader, jobs, entries);
  return jobs;
}

function readJob(reader: Reader, { key: id, at, value: node }: Entry): Job {
  if (!idPattern.test(id))
    reader.problem(
      at,
      `"${id.slice(0, 100)}" is no id of a job: letters, digits, "-" and "_", not beginning with a digit or "-"`,
    );
  const entries = reader.entries(node, `job "${id}"`);
  reader.known(entries, jobKeys, `job "${id}"`);
  const part = (key: string) => child(entries, key);
  for (const key of 'name runs-on with env defaults strategy continue-on-error timeout-minutes environment container services outputs'.split(
    ' ',
  ))
    reader.expressions(part(key));
  const text = (key: string) => reader.text(part(key), `"${key}" of job "${id}"`);
  const uses = text('uses');
  const steps = part('steps');
  const runsOn = childValue(entries, 'runs-on');
  if (uses === undefined) {
    if (runsOn === undefined || runsOn === null)
      reader.problem(at, `job "${id}" has no "runs-on": any runner takes it`, 'warning');
    if (!steps || isNull(steps)) reader.problem(at, `job "${id}" has no steps`, 'warning');
  } else if (steps) reader.problem(at, `job "${id}" has both "uses" and "steps"`);
  const withValues = childValue(entries, 'with');
  return {
    id,
    ...optional('name', text('name')),
    needs: [...new Set(reader.texts(part('needs'), `"needs" of job "${id}"`) ?? [])],
    ...optional('if', reader.condition(part('if'), `"if" of job "${id}"`)),
    ...(runsOn === undefined || runsOn === null ? {} : { runsOn }),
    ...optional('uses', uses),
    with: isMap(withValues) ? withValues : {},
    ...optional('secrets', readSecrets(reader, part('secrets'), id)),
    outputs: Object.fromEntries(
      part('outputs')
        ? reader
            .entries(part('outputs')!, `"outputs" of job "${id}"`)
            .map(({ key, value }) => [key, reader.text(value, `output "${key}"`) ?? ''])
        : [],
    ),
    ...optional('permissions', readPermissions(reader, part('permissions'))),
    ...optional('concurrency', readConcurrency(reader, part('concurrency'))),
    ...optional('strategy', readStrategy(reader, part('strategy'), id)),
    ...optional('continueOnError', childValue(entries, 'continue-on-error')),
    ...optional('timeoutMinutes', childValue(entries, 'timeout-minutes')),
    ...optional('environment', childValue(entries, 'environment')),
    steps: steps && uses === undefined ? readSteps(reader, steps, id) : [],
    line: reader.lineOf(at),
    source: isMap(plainValue(node)) ? (plainValue(node) as ValueMap) : {},
  };
}

const optional = <K extends string, T>(key: K, value: T | undefined | null): { [key in K]?: T } =>
  (value === undefined || value === null ? {} : { [key]: value }) as { [key in K]?: T };

function readSecrets(reader: Reader, node: Located | undefined, id: string): 'inherit' | ValueMap | undefined {
  if (!node || isNull(node)) return undefined;
  if (node.kind === 'scalar' && node.value === 'inherit') return 'inherit';
  if (node.kind === 'map') return plainValue(node) as ValueMap;
  reader.problem(node.at, `"secrets" of job "${id}" is a mapping or "inherit"`);
  return undefined;
}

/** The last two stand in the payload of one combination. */
const strategyKeys = new Set(['matrix', 'fail-fast', 'max-parallel', 'job-index', 'job-total']);

function readStrategy(reader: Reader, node: Located | undefined, id: string): RawStrategy | undefined {
  if (!node || isNull(node)) return undefined;
  const entries = reader.entries(node, `"strategy" of job "${id}"`);
  reader.known(entries, strategyKeys, `"strategy" of job "${id}"`);
  const matrix = child(entries, 'matrix');
  if (matrix?.kind === 'list') reader.problem(matrix.at, `"matrix" of job "${id}" must be a mapping`);
  return {
    ...optional('matrix', childValue(entries, 'matrix')),
    ...optional('failFast', childValue(entries, 'fail-fast')),
    ...optional('maxParallel', childValue(entries, 'max-parallel')),
  };
}

function readSteps(reader: Reader, node: Located, id: string): Step[] {
  if (node.kind !== 'list') {
    if (!isNull(node)) reader.problem(node.at, `"steps" of job "${id}" must be a list`);
    return [];
  }
  const ids = new Set<string>();
  return node.items.map((item, index) => {
    const what = `step ${index + 1} of job "${id}"`;
    const entries = reader.entries(item, what);
    reader.known(entries, stepKeys, what);
    for (const { key, value } of entries) if (key !== 'if') reader.expressions(value);
    reader.condition(child(entries, 'if'), `"if" of ${what}`);
    const text = (key: string) => reader.text(child(entries, key), `"${key}" of ${what}`);
    const [stepId, name, uses, run] = [text('id'), text('name'), text('uses'), text('run')];
    if (uses === undefined && run === undefined) reader.problem(item.at, `${what} has neither "run" nor "uses"`);
    if (uses !== undefined && run !== undefined) reader.problem(item.at, `${what} has both "run" and "uses"`);
    if (stepId !== undefined) {
      if (!idPattern.test(stepId)) reader.problem(item.at, `"${stepId.slice(0, 100)}" is no id of a step`);
      if (ids.has(stepId.toLowerCase())) reader.problem(item.at, `two steps of job "${id}" have the id "${stepId}"`);
      ids.add(stepId.toLowerCase());
    }
    const source = plainValue(item);
    return {
      ...optional('id', stepId),
      ...optional('name', name),
      ...optional('uses', uses),
      ...optional('run', run),
      source: isMap(source) ? source : {},
    };
  });
}

/** Needs must exist and must not wait for one another. */
function checkNeeds(reader: Reader, jobs: readonly Job[], entries: readonly Entry[]): void {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const state = new Map<string, 'open' | 'done'>();
  const at = (id: string) => entries.find(({ key }) => key === id)!.at;
  const visit = (job: Job): void => {
    if (state.get(job.id) === 'done') return;
    state.set(job.id, 'open');
    for (const need of job.needs) {
      const other = byId.get(need);
      if (!other) reader.problem(at(job.id), `job "${job.id}" needs "${need.slice(0, 100)}", which is no job`);
      else if (state.get(need) === 'open')
        reader.problem(at(job.id), `job "${job.id}" needs "${need}", which waits for it`);
      else visit(other);
    }
    state.set(job.id, 'done');
  };
  for (const job of jobs) visit(job);
}

/** The name under which a step is shown. */
export function stepName({ id, name, uses, run }: Step): string {
  if (name !== undefined && name !== '') return name.slice(0, limits.nameLength);
  const line = run === undefined ? (uses ?? id ?? '') : (run.trim().split('\n', 1)[0] ?? '');
  return toText(`Run ${line}`).slice(0, limits.nameLength);
}
