import { yamlLibrary } from './library.js';
import { withAddressOutput } from './environment.js';
import type { Job, Workflow } from './types.js';
import { limits, WorkflowError, type Value, type ValueMap } from './values.js';

const headKeys = ['on', 'env', 'defaults', 'permissions'];
const jobKeys =
  'name runs-on env if steps timeout-minutes continue-on-error services container strategy defaults outputs uses with secrets concurrency permissions environment'.split(
    ' ',
  );
/** What combinations of a matrix differ in. */
const ownKeys = ['name', 'runs-on', 'continue-on-error', 'timeout-minutes', 'strategy'];

// Programs that read YAML 1.1 take unquoted "yes" and "on" for booleans.
const yaml = (value: object): string =>
  yamlLibrary().stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' });

const picked = (from: ValueMap, keys: readonly string[]): ValueMap =>
  Object.fromEntries(keys.flatMap((key) => (from[key] === undefined || from[key] === null ? [] : [[key, from[key]]])));

/**
 * Writes jobs as workflow files of their own. What all jobs share, and what all combinations of one share, is written
 * once; all files together are bounded.
 */
export class Payloads {
  readonly #workflow: Workflow;
  readonly #bodies = new Map<Job, string>();
  #head: string | undefined;
  #left: number = limits.payloadsLength;

  constructor(workflow: Workflow) {
    this.#workflow = workflow;
  }

  /** `changes`: what the combination has instead of the job. Throws `WorkflowError`. */
  of(job: Job, changes: ValueMap, runName?: string): string {
    const own: { [key: string]: Value } = { ...picked(job.source, ownKeys), ...changes };
    const names = {
      ...picked(this.#workflow.source, ['name', 'run-name']),
      ...(runName === undefined ? {} : { 'run-name': runName }),
    };
    const parts = [
      Object.keys(names).length > 0 ? yaml(names) : '',
      this.#common(),
      Object.keys(own).length > 0 ? yaml({ jobs: { [job.id]: own } }) : `jobs:\n  ${job.id}:\n`,
      this.#body(job),
    ];
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > 2 * limits.fileBytes) throw new WorkflowError(`job "${job.id}" is too large`);
    this.#left -= length;
    if (this.#left < 0) throw new WorkflowError(`the jobs have more than ${limits.payloadsLength} characters together`);
    return parts.join('');
  }

  #common(): string {
    const head = picked(this.#workflow.source, headKeys);
    return (this.#head ??= Object.keys(head).length > 0 ? yaml(head) : '');
  }

  /** Lines of the job, indented as they stand below its id. */
  #body(job: Job): string {
    let body = this.#bodies.get(job);
    if (body === undefined) {
      const rest = picked(
        withAddressOutput(job),
        jobKeys.filter((key) => !ownKeys.includes(key)),
      );
      const text = Object.keys(rest).length > 0 ? yaml({ jobs: { one: rest } }) : '';
      body = text.slice('jobs:\n  one:\n'.length);
      this.#bodies.set(job, body);
    }
    return body;
  }
}
