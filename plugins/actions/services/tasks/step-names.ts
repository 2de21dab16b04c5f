import type { JobPayloadRow } from '../../models/job-payload.js';
import { parseWorkflow, stepName } from '../../workflow/index.js';

const maxSteps = 1000;

/** Names of the steps of a stored job; none when it cannot be read. */
export function stepNamesOf(row: JobPayloadRow | undefined): readonly string[] {
  const names = row?.step_names ?? parseWorkflow(row?.payload ?? '', 'job.yml').workflow?.jobs[0]?.steps.map(stepName);
  return (names ?? []).slice(0, maxSteps).map((name) => [...name].slice(0, 255).join(''));
}
