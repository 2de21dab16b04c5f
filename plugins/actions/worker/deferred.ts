/** What is planned while a run goes on already. */
import {
  bindCall,
  callOutputs,
  hasTrigger,
  inputTexts,
  jobsContext,
  parseWorkflow,
  planJob,
  planJobs,
  problemText,
  WorkflowError,
  type Contexts,
  type Job,
  type Value,
  type Workflow,
} from '../workflow/index.js';
import type { CallOutputs, CallPlan, CallTask, OutputsTask, StoredJob, ExpandedMatrix, MatrixTask } from './tasks.js';

/** The jobs of a called workflow. */
export function planCall({ caller, uses, callee, file, contexts }: CallTask): CallPlan {
  return orProblem(() => {
    const { workflow, problems } = parseWorkflow(callee, file);
    if (!workflow) throw new WorkflowError(problems[0] ? problemText(problems[0]) : `${uses}: cannot be read`);
    if (!hasTrigger(workflow, 'workflow_call'))
      throw new WorkflowError(`${uses}: the workflow has no on: workflow_call`);
    const { inputs, secrets } = bindCall(jobOf(caller).job, workflow, contexts);
    const github = contexts.github as Readonly<Record<string, Value>>;
    const event = { ...(github.event as Readonly<Record<string, Value>> | undefined), inputs: inputTexts(inputs) };
    const called: Contexts = {
      github: { ...github, event_name: 'workflow_call', event },
      vars: contexts.vars ?? {},
      inputs,
    };
    return {
      hasOutputs: workflow.on.some(({ event: on, outputs }) => on === 'workflow_call' && outputs?.length),
      inputs,
      secrets,
      jobs: planJobs(workflow, called),
    };
  });
}

/** The jobs of a matrix that is known only now. */
export function expandJobMatrix({ job, contexts }: MatrixTask): ExpandedMatrix {
  return orProblem(() => {
    const stored = jobOf(job);
    const jobs = planJob(stored.workflow, stored.job, contexts);
    if (jobs.length === 0) throw new WorkflowError('its matrix has no combination');
    return { jobs };
  });
}

/** Outputs for the caller of the workflow; one that cannot be evaluated is left out. */
export function outputsOfCall({ callee, file, jobs, inputs }: OutputsTask): CallOutputs {
  const { workflow } = parseWorkflow(callee, file);
  const made = workflow && orProblem(() => ({ outputs: callOutputs(workflow, { jobs: jobsContext(jobs), inputs }) }));
  return made && 'outputs' in made ? made.outputs : {};
}

function jobOf({ id, payload }: StoredJob): { readonly workflow: Workflow; readonly job: Job } {
  const { workflow } = parseWorkflow(payload, 'job.yml');
  const job = workflow?.jobs.find((one) => one.id === id);
  if (!workflow || !job) throw new WorkflowError('the job cannot be read');
  return { workflow, job };
}

function orProblem<T>(work: () => T): T | { readonly problem: string } {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof WorkflowError)) throw error;
    return { problem: error.message };
  }
}
