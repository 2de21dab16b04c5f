import { statusNumbers } from '../../contract/states.js';
import type { GithubContext, JobStates, NeedOutcome } from '../../contract/runs.js';
import { JobPayloadRow } from '../../models/job-payload.js';
import { JobRow } from '../../models/job.js';
import { ContextBuilder } from './context-builder.js';
import { lockRun } from './run-rows.js';
import { loadJobState } from './run-state.js';
import { RunReconciler, type ReconcilerDeps } from './run-reconciler.js';

/** See {@link JobStates}. */
export class JobStatesService implements JobStates {
  readonly #contexts: ContextBuilder;

  constructor(private readonly deps: ReconcilerDeps) {
    this.#contexts = new ContextBuilder(deps);
  }

  async lockRun(runId: number): Promise<boolean> {
    return Boolean(await lockRun(this.deps.database, runId));
  }

  async jobChanged(jobIds: readonly number[]): Promise<void> {
    const { database } = this.deps;
    if (jobIds.length === 0) return;
    await database.write(async () => {
      const rows = await database
        .query(JobRow)
        .findByIds([...jobIds])
        .select('id', 'run_id', 'run_attempt_id');
      const byRun = new Map<number, number[]>();
      for (const row of rows) byRun.set(row.run_id, [...(byRun.get(row.run_id) ?? []), row.id]);
      const reconciler = new RunReconciler(this.deps);
      for (const [runId, ids] of [...byRun].sort(([one], [other]) => one - other)) await reconciler.add(runId, ids);
      await reconciler.run();
    });
  }

  async githubContext(jobId: number): Promise<GithubContext | undefined> {
    const loaded = await loadJobState(this.deps.database, jobId, () => false);
    if (!loaded) return undefined;
    const repository = await this.deps.repositories.byId(loaded.job.repository_id);
    return repository && this.#contexts.github(loaded.state, repository, loaded.job);
  }

  async needsOf(jobId: number): Promise<Readonly<Record<string, NeedOutcome>>> {
    const loaded = await loadJobState(this.deps.database, jobId, ({ needs }) => needs.length > 0);
    if (!loaded) return {};
    const { job, state } = loaded;
    const ended = await this.#contexts.ended(state, job, job.needs);
    const outcome: Record<string, NeedOutcome> = {};
    for (const id of job.needs) {
      const need = ended.get(id);
      if (need) outcome[id] = { result: statusNumbers[need.result], outputs: need.outputs };
    }
    return outcome;
  }

  async secretsFor(jobId: number): Promise<'all' | 'none' | Readonly<Record<string, string>>> {
    const loaded = await loadJobState(this.deps.database, jobId, (job) => job.parent_job_id !== 0);
    if (!loaded) return 'none';
    const { run } = loaded.state;
    if (run.is_fork && run.trigger_event !== 'pull_request_target') return 'none';
    let allowed: 'all' | Readonly<Record<string, string>> = 'all';
    const chain: JobRow[] = [];
    for (let parent = loaded.job.parent_job_id; parent;) {
      const caller = loaded.state.job(parent);
      if (!caller) return 'none';
      chain.unshift(caller);
      parent = caller.parent_job_id;
    }
    // from the outermost call inwards: each passes on what it was given itself
    for (const caller of chain) {
      const passed = (await loaded.state.jobPayload(caller.id))?.call_secrets ?? {};
      if (passed === 'inherit') continue;
      const before: 'all' | Readonly<Record<string, string>> = allowed;
      allowed = Object.fromEntries(
        Object.entries(passed).flatMap(([name, of]): [string, string][] => {
          const source: string | undefined = before === 'all' ? of : before[of];
          return source === undefined ? [] : [[name, source]];
        }),
      );
    }
    return allowed;
  }

  async inputsOf(jobId: number): Promise<Readonly<Record<string, string | number | boolean>> | undefined> {
    const row = await this.deps.database.query(JobRow).findById(jobId).select('parent_job_id');
    if (!row?.parent_job_id) return undefined;
    const payload = await this.deps.database.query(JobPayloadRow).findById(row.parent_job_id);
    return (payload?.call_payload?.inputs ?? {}) as Readonly<Record<string, string | number | boolean>>;
  }
}
