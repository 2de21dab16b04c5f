import { readConcurrency, readPermissions } from './parse-common.js';
import { readJobs } from './parse-jobs.js';
import { readTriggers } from './parse-on.js';
import { child, childValue, isNull, Reader } from './reader.js';
import type { ParsedWorkflow, Problem } from './types.js';
import { isMap, type ValueMap } from './values.js';
import { plainValue, readYaml } from './yaml.js';

const keys: ReadonlySet<string> = new Set(
  'name run-name on env defaults permissions concurrency jobs description'.split(' '),
);

/** A workflow file, as text or bytes; payloads of jobs are such files too. Never throws. */
export function parseWorkflow(text: string | Uint8Array, file: string): ParsedWorkflow {
  const located = readYaml(text, file);
  const reader = new Reader(file, located);
  if (!located.root) return { problems: reader.problems };
  const { root } = located;
  if (root.kind !== 'map') {
    reader.problem(root.at, isNull(root) ? 'the file is empty' : 'a workflow must be a mapping');
    return { problems: reader.problems };
  }
  const { entries } = root;
  reader.known(entries, keys, 'a workflow');
  const name = reader.text(child(entries, 'name'), '"name"');
  const runName = reader.text(child(entries, 'run-name'), '"run-name"');
  reader.expressions(child(entries, 'run-name'));
  const on = child(entries, 'on');
  if (!on || isNull(on)) reader.problem(on?.at ?? root.at, 'the workflow has no "on"');
  const triggers = on ? readTriggers(reader, on) : [];
  if (on && !isNull(on) && triggers.length === 0) reader.problem(on.at, '"on" names no event');
  const jobsNode = child(entries, 'jobs');
  if (!jobsNode) reader.problem(root.at, 'the workflow has no "jobs"');
  const jobs = jobsNode ? readJobs(reader, jobsNode) : [];
  const env = childValue(entries, 'env');
  reader.expressions(child(entries, 'env'));
  const permissions = readPermissions(reader, child(entries, 'permissions'));
  const concurrency = readConcurrency(reader, child(entries, 'concurrency'));
  const common = { ...(name === undefined ? {} : { name }), problems: sorted(reader.problems) };
  if (reader.hasErrors) return common;
  return {
    ...common,
    workflow: {
      file,
      ...(name === undefined ? {} : { name }),
      ...(runName === undefined ? {} : { runName }),
      on: triggers,
      env: isMap(env) ? env : {},
      ...(permissions ? { permissions } : {}),
      ...(concurrency ? { concurrency } : {}),
      jobs,
      source: plainValue(root) as ValueMap,
    },
  };
}

const sorted = (problems: readonly Problem[]): Problem[] =>
  problems.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, 100);

/** `file:line:column: message`. */
export const problemText = ({ file, line, column, severity, message }: Problem): string =>
  `${file}:${line}:${column}: ${severity === 'warning' ? 'warning: ' : ''}${message}`;
