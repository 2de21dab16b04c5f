import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  evaluateCondition,
  interpolate,
  isMap,
  parseWorkflow,
  problemText,
  toText,
  typedInputs,
  type Contexts,
  type Job,
  type Result,
  type Value,
  type ValueMap,
  type Workflow,
} from '@mortise/actions/workflow';
import { startContainers } from '../containers/start-containers.js';
import { Session } from './session.js';
import { limited, TimedOut } from './limited-signal.js';
import { texts } from './step-run.js';
import { messageOf, runStep } from './run-step.js';
import type { JobTask, RunnerHost, JobReporter, Scope } from './types.js';

/** Milliseconds that steps with `always()` and clean-up have after a cancel. */
const graceMs = 5 * 60_000;

/**
 * Runs one job to its end and gives its result. Never throws; what went wrong stands in the log. `cancel` lets steps run
 * that ask for it, `halt` ends everything at once.
 */
export async function runJob(
  task: JobTask,
  host: RunnerHost,
  report: JobReporter,
  cancel: AbortSignal,
  halt?: AbortSignal,
): Promise<Result> {
  const { workflow, problems } = parseWorkflow(task.payload, 'job.yml');
  const job = workflow?.jobs[0];
  const session = new Session(task, host, report, join(host.workFolder, randomUUID()), {
    contexts: constantContexts(job),
    workflowName: workflow?.name,
  });
  if (!workflow || !job || workflow.jobs.length !== 1) {
    for (const problem of problems) session.log.error(problemText(problem));
    session.log.error('the job cannot be read');
    return 'failure';
  }
  try {
    await session.open();
    return await new JobRun(session, workflow, job, cancel, halt).run();
  } catch (error) {
    session.log.error(messageOf(error));
    return 'failure';
  } finally {
    await session.close().catch((error: unknown) => {
      session.log.write(`##[warning]The folder of the job could not be removed: ${messageOf(error)}`);
    });
  }
}

/** `strategy` and `matrix`: a payload has one value in each list, and says which of how many jobs it is. */
function constantContexts(job: Job | undefined): Contexts {
  const matrix = isMap(job?.strategy?.matrix) ? job.strategy.matrix : {};
  const values = Object.entries(matrix).map(([key, list]) => [
    key,
    Array.isArray(list) ? ((list as Value[])[0] ?? null) : list,
  ]);
  const { matrix: _matrix, ...said } = isMap(job?.source.strategy) ? job.source.strategy : {};
  const strategy = { 'fail-fast': true, 'job-index': 0, 'job-total': 1, 'max-parallel': 4, ...said };
  return { matrix: Object.fromEntries(values) as Value, strategy };
}

class JobRun {
  readonly #session: Session;
  readonly #workflow: Workflow;
  readonly #job: Job;
  readonly #cancel: AbortSignal;
  readonly #halt: AbortSignal | undefined;
  readonly #scope: Scope;

  constructor(session: Session, workflow: Workflow, job: Job, cancel: AbortSignal, halt: AbortSignal | undefined) {
    this.#session = session;
    this.#workflow = workflow;
    this.#job = job;
    this.#cancel = cancel;
    this.#halt = halt;
    const event = isMap(session.github.event) ? session.github.event : {};
    const given = isMap(event.inputs) ? event.inputs : {};
    const inputs = typedInputs(workflow, toText(session.github.event_name ?? ''), given);
    this.#scope = { steps: new Map(), inputs, env: {}, actionPath: '', hasFailed: false, depth: 0 };
  }

  async run(): Promise<Result> {
    const session = this.#session;
    const job = this.#job;
    const { log } = session;
    log.write(`Runner ${session.host.runnerName}, version ${session.host.version}`);
    this.#setVariables();
    if (!this.#isWanted()) return 'skipped';
    const minutes = typeof job.timeoutMinutes === 'number' && job.timeoutMinutes > 0 ? job.timeoutMinutes : Infinity;
    const max = Math.min(minutes * 60_000, session.host.timeout);
    const { signal, release } = limited(
      this.#cancel,
      max,
      `the job took longer than ${Math.round(max / 60_000)} minutes`,
    );
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const onEnd = () => {
      session.isCancelled = true;
      timer = setTimeout(() => late.abort(new TimedOut('clean-up took too long')), graceMs);
    };
    signal.addEventListener('abort', onEnd, { once: true });
    if (signal.aborted) onEnd();
    const onHalt = () => {
      late.abort(new Error('the runner ends'));
      void session.end();
    };
    this.#halt?.addEventListener('abort', onHalt, { once: true });
    if (this.#halt?.aborted) onHalt();
    try {
      await startContainers(session, job, this.#scope, signal);
      const defaults = this.#defaults();
      for (const [index, step] of job.steps.entries())
        await this.#step(index, step.source, defaults, signal, late.signal);
      await this.#posts(late.signal);
      this.#report();
    } catch (error) {
      if (signal.aborted) return this.#stopped(signal);
      throw error;
    } finally {
      release();
      clearTimeout(timer);
      this.#halt?.removeEventListener('abort', onHalt);
    }
    if (signal.aborted) return this.#stopped(signal);
    return this.#scope.hasFailed ? 'failure' : 'success';
  }

  #stopped({ reason }: AbortSignal): Result {
    if (!(reason instanceof TimedOut)) return 'cancelled';
    this.#session.log.error(reason.message);
    return 'failure';
  }

  /** `env` of workflow and job; a value may name those before it. */
  #setVariables(): void {
    const { env } = this.#scope;
    for (const source of [this.#workflow.env, this.#job.source.env])
      Object.assign(env, texts(source, this.#session.evaluation(this.#scope, env)));
  }

  /** The server has decided about jobs with needs: it knows the jobs behind them. */
  #isWanted(): boolean {
    if (Object.keys(this.#session.task.needs).length > 0) return true;
    return evaluateCondition(this.#job.if, this.#session.evaluation(this.#scope, this.#scope.env));
  }

  #defaults(): ValueMap {
    const of = (source: ValueMap): ValueMap => {
      const defaults = isMap(source.defaults) ? source.defaults : {};
      return isMap(defaults.run) ? defaults.run : {};
    };
    return { run: { ...of(this.#workflow.source), ...of(this.#job.source) } };
  }

  async #step(
    index: number,
    step: ValueMap,
    defaults: ValueMap,
    signal: AbortSignal,
    late: AbortSignal,
  ): Promise<void> {
    const { report, log } = this.#session;
    const started = { startedAt: new Date(), logIndex: log.length };
    report.step(index, { ...started, logLength: 0 });
    this.#session.step = index;
    const options = { signal: signal.aborted ? late : signal, defaults, index };
    const { outcome, conclusion } = await runStep(this.#session, this.#scope, step, options);
    if (conclusion === 'failure') this.#scope.hasFailed = true;
    // As other runners: how it ended, though the job may go on, and what a cancel has kept from running.
    const isKept = outcome === 'skipped' && signal.aborted && !(signal.reason instanceof TimedOut);
    report.step(index, {
      ...started,
      result: isKept ? 'cancelled' : outcome,
      stoppedAt: new Date(),
      logLength: log.length - started.logIndex,
    });
  }

  async #posts(signal: AbortSignal): Promise<void> {
    const { posts, log } = this.#session;
    for (let post = posts.pop(); post; post = posts.pop()) {
      log.write(post.name);
      this.#session.step = post.step;
      try {
        await post.run(signal);
      } catch (error) {
        log.error(messageOf(error));
        this.#scope.hasFailed = true;
      }
    }
  }

  #report(): void {
    const evaluation = this.#session.evaluation(this.#scope, this.#scope.env);
    const outputs: Record<string, string> = {};
    for (const [key, raw] of Object.entries(this.#job.outputs)) {
      try {
        outputs[key] = interpolate(raw, evaluation);
      } catch (error) {
        this.#session.log.error(`output "${key}": ${messageOf(error)}`);
        this.#scope.hasFailed = true;
      }
    }
    this.#session.report.outputs(outputs);
  }
}
