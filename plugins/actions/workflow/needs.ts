import type { Budget, Contexts, StatusFlags } from './evaluation.js';
import { evaluateCondition } from './interpolate.js';
import type { NeedResult, Result } from './types.js';
import { within, type Value } from './values.js';

/**
 * Result and outputs of a job over all combinations of its matrix. A failure under `continue-on-error` counts as success;
 * an output that is not empty wins over an empty one.
 */
export function aggregateNeed(
  instances: readonly {
    readonly result: Result;
    readonly continueOnError: boolean;
    readonly outputs: { readonly [key: string]: string };
  }[],
): NeedResult {
  const results = instances.map(({ result, continueOnError }) =>
    result === 'failure' && continueOnError ? 'success' : result,
  );
  const outputs: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const instance of instances)
    for (const [key, value] of Object.entries(instance.outputs))
      if (value !== '' || !Object.hasOwn(outputs, key)) outputs[key] = value;
  return { result: combinedResult(results), outputs: { ...outputs } };
}

function combinedResult(results: readonly Result[]): Result {
  if (results.every((result) => result === 'skipped')) return 'skipped';
  if (results.includes('cancelled')) return 'cancelled';
  return results.includes('failure') ? 'failure' : 'success';
}

/** The `needs` context. */
export const needsContext = (needs: readonly string[], ended: ReadonlyMap<string, NeedResult>): Value =>
  Object.fromEntries(
    needs.flatMap((id) => {
      const need = ended.get(id);
      return need ? [[id, { result: need.result, outputs: need.outputs }]] : [];
    }),
  );

/** The `jobs` context, for outputs of a called workflow. */
export const jobsContext = (ended: ReadonlyMap<string, NeedResult>): Value => needsContext([...ended.keys()], ended);

interface NeedContext {
  /** Every job of the same scope that has ended, not only the direct needs: failure() sees all ancestors. */
  readonly ended: ReadonlyMap<string, NeedResult>;
  readonly needsOf: (id: string) => readonly string[];
  /** The run was cancelled. */
  readonly cancelled: boolean;
  /** github, vars, inputs, strategy, matrix; `needs` is made from `ended`. */
  readonly contexts: Contexts;
  /** What this and other evaluations may take together. */
  readonly budget?: Budget;
}

/** What success(), failure() and cancelled() say for a job whose needs have ended. */
function statusOfNeeds(needs: readonly string[], { ended, needsOf, cancelled }: NeedContext): StatusFlags {
  const success = !cancelled && needs.every((id) => ended.get(id)?.result === 'success');
  const visited = new Set<string>();
  const open = [...needs];
  let failure = false;
  while (open.length > 0 && !failure) {
    const id = open.pop()!;
    if (visited.has(id)) continue;
    visited.add(id);
    failure = ended.get(id)?.result === 'failure';
    open.push(...needsOf(id));
  }
  return { success, failure, cancelled };
}

/**
 * Shall a job run whose needs have all ended? Throws `WorkflowError` where its `if` cannot be evaluated: show it, and let
 * the job fail.
 */
export function shouldRun(
  job: { readonly id: string; readonly needs: readonly string[]; readonly if?: string },
  context: NeedContext,
): boolean {
  const contexts = { ...context.contexts, needs: needsContext(job.needs, context.ended) };
  return within(`jobs.${job.id}.if`, () =>
    evaluateCondition(job.if, {
      contexts,
      status: statusOfNeeds(job.needs, context),
      ...(context.budget && { budget: context.budget }),
    }),
  );
}
