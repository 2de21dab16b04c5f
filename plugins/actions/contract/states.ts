/** Statuses of runs, attempts, jobs, tasks and steps, by the numbers in the database and the protocol (ACT-26, ACT-27). */
export const statusNumbers = {
  unknown: 0,
  success: 1,
  failure: 2,
  cancelled: 3,
  skipped: 4,
  waiting: 5,
  running: 6,
  blocked: 7,
  cancelling: 8,
} as const;
export type StatusName = keyof typeof statusNumbers;
/** 1 to 4 are final, and equal to the `Result` of the runner protocol. */
export type StatusNumber = (typeof statusNumbers)[StatusName];

/** By number. */
export const statusNames = Object.keys(statusNumbers) as readonly StatusName[];

/** `unknown` for a number that no status has. */
export const statusName = (number: number): StatusName => statusNames[number] ?? 'unknown';

/** Has it ended for good? */
export const isFinal = (status: number): boolean => status >= statusNumbers.success && status <= statusNumbers.skipped;

export const finalStatuses: readonly StatusNumber[] = [1, 2, 3, 4];
export const openStatuses: readonly StatusNumber[] = [5, 6, 7, 8];

/** Status and conclusion as in the REST API and webhooks; `conclusion` is empty until the end. */
export function apiStatus(status: number): { status: string; conclusion: string } {
  if (isFinal(status)) return { status: 'completed', conclusion: statusName(status) };
  if (status === statusNumbers.waiting) return { status: 'queued', conclusion: '' };
  if (status === statusNumbers.blocked) return { status: 'waiting', conclusion: '' };
  if (status === statusNumbers.running || status === statusNumbers.cancelling)
    return { status: 'in_progress', conclusion: '' };
  return { status: 'unknown', conclusion: '' };
}

/** Action of the webhook event `workflow_run`, and its type in `on: workflow_run`. */
export function runAction(status: number): 'requested' | 'in_progress' | 'completed' {
  if (isFinal(status)) return 'completed';
  return status === statusNumbers.running || status === statusNumbers.cancelling ? 'in_progress' : 'requested';
}

/** What an aggregate is made of. */
interface AggregatedJob {
  readonly status: number;
  readonly continueOnError: boolean;
}

/** Status of an attempt, or of a job that calls a workflow, from its jobs; `unknown` without jobs. The first rule that holds. */
export function aggregate(jobs: readonly AggregatedJob[]): StatusNumber {
  const { success, failure, cancelled, skipped, waiting, running, blocked, cancelling } = statusNumbers;
  if (jobs.length === 0) return statusNumbers.unknown;
  if (jobs.every(({ status }) => status === skipped)) return skipped;
  const passed = ({ status, continueOnError }: AggregatedJob) =>
    status === success || status === skipped || (status === failure && continueOnError);
  if (jobs.every(passed)) return success;
  const has = (wanted: number) => jobs.some(({ status }) => status === wanted);
  for (const one of [cancelling, running, waiting, blocked, cancelled] as const) if (has(one)) return one;
  return jobs.some(({ status, continueOnError }) => status === failure && !continueOnError)
    ? failure
    : statusNumbers.unknown;
}
