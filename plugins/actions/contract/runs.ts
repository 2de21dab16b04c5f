import { defineService } from '@mortise/plugin-sdk';

/** What expressions and runners know as `github`, without tokens. */
export type GithubContext = Readonly<Record<string, unknown>>;

/** How a needed job has ended. */
export interface NeedOutcome {
  /** 1 to 4 of `statusNumbers`. */
  readonly result: number;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Changes the state of jobs, and gives runners the data of a job. */
export interface JobStates {
  /**
   * First in a transaction that changes jobs or tasks of a run: waits for others that do. False: the run is gone.
   */
  lockRun(runId: number): Promise<boolean>;
  /**
   * The status of these jobs was changed: brings their callers, attempt and run up to date, starts or skips the jobs that
   * waited for them, lets in what concurrency and `max-parallel` held back, posts statuses, emits `jobsChanged` and
   * `runChanged`, and tells runners where a job became waiting. Joins the caller's transaction; only SQL.
   */
  jobChanged(jobIds: readonly number[]): Promise<void>;
  /** Of a job, without `token` and `gitea_runtime_token`. Undefined: there is no such job. */
  githubContext(jobId: number): Promise<GithubContext | undefined>;
  /** By job id, over all instances of a matrix. */
  needsOf(jobId: number): Promise<Readonly<Record<string, NeedOutcome>>>;
  /** Which secrets a job may have: by the name that it knows, the name here. `none` includes outsiders' pull requests. */
  secretsFor(jobId: number): Promise<'all' | 'none' | Readonly<Record<string, string>>>;
  /** The context `inputs` of a job of a called workflow; undefined of any other. */
  inputsOf(jobId: number): Promise<Readonly<Record<string, string | number | boolean>> | undefined>;
}
export const jobStates = defineService<JobStates>('actions.jobStates');
