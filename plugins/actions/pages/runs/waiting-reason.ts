import type { Runners } from '../../contract/runners.js';
import type { ScopedRepository } from '../../contract/scopes.js';
import { isFinal, statusNumbers } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import type { RunDetails } from './run-reader.js';
import type { WaitingReason } from './job-view.js';

/** Why a job does not begin; undefined: it has. */
export async function waitingReason(
  runners: Runners,
  repository: ScopedRepository,
  { run, jobs }: RunDetails,
  job: JobRow,
): Promise<WaitingReason | undefined> {
  if (job.status !== statusNumbers.waiting && job.status !== statusNumbers.blocked) return undefined;
  if (run.need_approval) return { why: 'approval' };
  if (job.status === statusNumbers.blocked) {
    const names = jobs
      .filter((one) => one.parent_job_id === job.parent_job_id && job.needs.includes(one.job_id))
      .filter(({ status }) => !isFinal(status))
      .map(({ name }) => name);
    if (names.length > 0) return { why: 'needs', names };
    return job.environment ? { why: 'environment', names: [job.environment] } : { why: 'none' };
  }
  const usable = (await runners.usableFor(repository)).filter(({ isDisabled }) => !isDisabled);
  const online = usable.filter(({ status }) => status !== 'offline');
  if (online.length === 0) return { why: 'offline' };
  const fitting = online.filter((runner) => runners.fits(runner, job.runs_on));
  return fitting.length > 0 ? { why: 'busy' } : { why: 'labels', names: job.runs_on };
}
