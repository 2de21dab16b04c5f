import { parseWorkflow, stepName } from '../../workflow/index.js';

const maxSteps = 1000;

/** Names of the steps of a stored job; none when it cannot be read. */
export function payloadSteps(payload: string): readonly string[] {
  const steps = parseWorkflow(payload, 'job.yml').workflow?.jobs[0]?.steps ?? [];
  return steps.slice(0, maxSteps).map((step) => [...stepName(step)].slice(0, 255).join(''));
}
