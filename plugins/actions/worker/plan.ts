import {
  evaluateConcurrency,
  planJobs,
  runTitle,
  WorkflowError,
  type Contexts,
  type Value,
  type Workflow,
} from '../workflow/index.js';
import type { Plan } from './tasks.js';

/** Title, group and jobs of a run; what is wrong with the workflow is its problem. */
export function planRun(workflow: Workflow, contexts: Contexts): Plan {
  const uses = { id: false, number: false };
  const watchedContexts: Contexts = { ...contexts, github: watched(contexts.github, uses) };
  let title: string | undefined;
  try {
    title = runTitle(workflow, watchedContexts);
    const concurrency = evaluateConcurrency(workflow.concurrency, watchedContexts);
    const jobs = planJobs(workflow, watchedContexts);
    return { ...(title && { title }), ...(concurrency && { concurrency }), jobs, uses };
  } catch (error) {
    if (!(error instanceof WorkflowError)) throw error;
    return { ...(title && { title }), jobs: [], problem: error.message, uses };
  }
}

/** Notes which properties of the context only a stored run has. */
function watched(github: Value | undefined, uses: { id: boolean; number: boolean }): Value {
  const { run_id: id = '', run_number: number = '', ...rest } = (github ?? {}) as Readonly<Record<string, Value>>;
  const noting = (what: keyof typeof uses, value: Value): PropertyDescriptor => ({
    enumerable: true,
    get() {
      uses[what] = true;
      return value;
    },
  });
  return Object.defineProperties(rest, { run_id: noting('id', id), run_number: noting('number', number) });
}
