import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import {
  aggregateNeed,
  parseWorkflow,
  planJob,
  problemText,
  shouldRun,
  typedInputs,
  type NeedResult,
  type PlannedJob,
  type Result,
  type Value,
  type ValueMap,
  type Workflow,
} from '@mortise/actions/workflow';
import { runJob } from '../engine/run-job.js';
import type { RunnerHost, JobReporter } from '../engine/types.js';

interface LocalRun {
  readonly file: string;
  /** The working copy in which the jobs run. */
  readonly folder: string;
  readonly host: RunnerHost;
  /** Only this job, without those that it needs. */
  readonly job?: string;
  readonly event: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly inputs: ValueMap;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly halt?: AbortSignal;
}

/** Runs the jobs of a workflow one after another in a working copy; gives whether all went well. */
export async function runLocally(run: LocalRun): Promise<boolean> {
  const { file, folder, print } = run;
  // That of the command line keeps files from all others; a working copy is not its own.
  process.umask(0o022);
  const { workflow, problems } = parseWorkflow(await readFile(file), file);
  for (const problem of problems) print(problemText(problem));
  if (!workflow) return false;
  const github = githubContextOf(workflow, folder, run);
  const ended = new Map<string, NeedResult>();
  const needsOf = (id: string) => workflow.jobs.find((job) => job.id === id)?.needs ?? [];
  let isGood = true;
  for (const job of jobsInOrder(workflow, run.job)) {
    const contexts = { github, vars: {}, inputs: typedInputs(workflow, run.event, run.inputs) };
    const isWanted = run.job !== undefined || shouldRun(job, { ended, needsOf, cancelled: false, contexts });
    if (!isWanted || job.uses !== undefined) {
      print(`── ${job.id}: skipped${job.uses === undefined ? '' : ' (called workflows are run by the server)'}`);
      ended.set(job.id, { result: 'skipped', outputs: {} });
      continue;
    }
    const needs = Object.fromEntries(job.needs.flatMap((id) => (ended.has(id) ? [[id, ended.get(id)!]] : [])));
    const instances = [];
    for (const planned of planJob(workflow, job, { ...contexts, needs: needs as unknown as Value }))
      instances.push({
        ...(await runPlannedJob(run, planned, github, needs)),
        continueOnError: planned.continueOnError,
      });
    const together = aggregateNeed(instances);
    ended.set(job.id, together);
    isGood &&= together.result === 'success' || together.result === 'skipped';
  }
  return isGood;
}

async function runPlannedJob(
  { host, secrets, print, signal, halt, inputs }: LocalRun,
  planned: PlannedJob,
  github: ValueMap,
  needs: Readonly<Record<string, NeedResult>>,
): Promise<{ result: Result; outputs: Readonly<Record<string, string>> }> {
  print(`── ${planned.name}`);
  let outputs: Readonly<Record<string, string>> = {};
  const report: JobReporter = {
    write: ({ content }) => print(`   ${content}`),
    ready: () => Promise.resolve(),
    step: (index, { result }) => {
      if (result) print(`   • ${planned.stepNames[index] ?? index}: ${result}`);
    },
    summary: (_index, markdown) => {
      for (const line of markdown.trimEnd().split('\n')) print(`   │ ${line}`);
    },
    outputs: (got) => (outputs = got),
  };
  const context = { ...github, event: { ...(github.event as ValueMap), inputs }, job: planned.id };
  const task = { payload: planned.payload, context, secrets, vars: {}, needs };
  const result = await runJob(task, host, report, signal, halt);
  print(`── ${planned.name}: ${result}`);
  return { result, outputs };
}

/** Jobs after those that they need. */
function jobsInOrder(workflow: Workflow, only: string | undefined): readonly Workflow['jobs'][number][] {
  if (only !== undefined) {
    const job = workflow.jobs.find(({ id }) => id === only);
    if (!job) throw new Error(`the workflow has no job "${only}"`);
    return [job];
  }
  const done = new Set<string>();
  const order: Workflow['jobs'][number][] = [];
  while (order.length < workflow.jobs.length)
    for (const job of workflow.jobs)
      if (!done.has(job.id) && job.needs.every((need) => done.has(need))) {
        done.add(job.id);
        order.push(job);
      }
  return order;
}

function githubContextOf(workflow: Workflow, folder: string, { event }: LocalRun): ValueMap {
  const git = (...args: string[]): string => {
    try {
      return execFileSync('git', ['-C', folder, ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    } catch {
      return '';
    }
  };
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD') || 'main';
  const [name = 'local', owner = 'local'] = git('config', 'remote.origin.url')
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .reverse();
  return {
    actor: process.env.USER ?? 'local',
    event: {},
    event_name: event,
    ref: `refs/heads/${branch}`,
    ref_name: branch,
    ref_type: 'branch',
    sha: git('rev-parse', 'HEAD'),
    repository: `${owner}/${name}`,
    repository_owner: owner,
    run_id: '1',
    run_number: '1',
    run_attempt: '1',
    workflow: workflow.name ?? workflow.file,
  };
}
