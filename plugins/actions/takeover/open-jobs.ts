import type { JobRow } from '../models/job.js';
import { isMap, parseWorkflow, type Job, type Value } from '../workflow/index.js';

type OpenJobColumns = Pick<
  JobRow,
  'matrix' | 'condition' | 'raw_concurrency' | 'max_parallel' | 'timeout_ms' | 'token_permissions' | 'continue_on_error'
>;

const none: OpenJobColumns = {
  matrix: {},
  condition: '',
  raw_concurrency: '',
  max_parallel: 0,
  timeout_ms: 0,
  token_permissions: null,
  continue_on_error: false,
};

/** Its cell alone: each value stands in a list of one there. */
const cellOf = (matrix: Value | undefined): Readonly<Record<string, unknown>> =>
  isMap(matrix)
    ? Object.fromEntries(
        Object.entries(matrix).flatMap(([key, value]) =>
          Array.isArray(value) && value.length === 1 ? [[key, value[0] as unknown]] : [],
        ),
      )
    : {};

const columnsOf = (job: Job): OpenJobColumns => ({
  matrix: cellOf(job.strategy?.matrix),
  condition: job.if ?? '',
  raw_concurrency: job.concurrency ? JSON.stringify(job.concurrency) : '',
  max_parallel: typeof job.strategy?.maxParallel === 'number' ? job.strategy.maxParallel : 0,
  timeout_ms: typeof job.timeoutMinutes === 'number' ? Math.ceil(job.timeoutMinutes * 60_000) : 0,
  token_permissions: job.permissions ?? null,
  continue_on_error: job.continueOnError === true,
});

/** What decides how a job goes on that has not ended, by its workflow, which has this job alone. */
export function openJobColumns(payload: string): OpenJobColumns {
  const [job] = payload === '' ? [] : (parseWorkflow(payload, 'workflow').workflow?.jobs ?? []);
  return job ? columnsOf(job) : none;
}
