import {
  evaluateCondition,
  interpolateValue,
  isTruthy,
  toText,
  WorkflowError,
  type Evaluation,
  type Result,
  type Value,
  type ValueMap,
} from '@mortise/actions/workflow';
import { runAction } from './actions.js';
import { runScript } from './run-script.js';
import type { Session } from './session.js';
import { limited, TimedOut } from './limited-signal.js';
import { stepEnvironment, text, type StepRun } from './step-run.js';
import { StepFailure, type Scope, type StepOutcome, type StepOutput } from './types.js';

/** Runs a step, or skips it; gives its result before and after `continue-on-error`. Never throws. */
export async function runStep(
  session: Session,
  scope: Scope,
  step: ValueMap,
  options: { signal: AbortSignal; defaults: ValueMap; index: number },
): Promise<StepOutcome> {
  const output: StepOutput = { outputs: {}, state: {} };
  const id = text(step.id) ?? `__${options.index}`;
  const record = (outcome: Result, conclusion: Result): StepOutcome => {
    const result = { outcome, conclusion, outputs: output.outputs };
    scope.steps.set(id, result);
    return result;
  };
  const { log } = session;
  let env: Record<string, string>;
  let evaluation: Evaluation;
  try {
    env = stepEnvironment(session, scope, step);
    evaluation = session.evaluation(scope, env);
    if (!evaluateCondition(text(step.if), evaluation)) return record('skipped', 'skipped');
  } catch (error) {
    log.error(messageOf(error));
    return record('failure', 'failure');
  }
  const minutes = minutesOf(step['timeout-minutes'], evaluation);
  const { signal, release } = limited(
    options.signal,
    minutes,
    `the step took longer than ${(minutes ?? 0) / 60_000} minutes`,
  );
  let outcome: Result = 'success';
  try {
    await perform({ session, scope, step, env, evaluation, output, signal, defaults: options.defaults, runStep });
    signal.throwIfAborted();
  } catch (error) {
    const cause: unknown = signal.aborted ? signal.reason : error;
    outcome = signal.aborted && !(cause instanceof TimedOut) ? 'cancelled' : 'failure';
    const message = messageOf(cause);
    if (outcome === 'failure' && message !== '') log.error(message);
  } finally {
    release();
  }
  const mayFail = outcome === 'failure' && continuesOnError(step['continue-on-error'], evaluation);
  return record(outcome, mayFail ? 'success' : outcome);
}

async function perform(run: StepRun): Promise<void> {
  const uses = text(run.step.uses);
  if (uses !== undefined) await runAction(run, uses.trim());
  else await runScript(run, text(run.step.run) ?? '');
}

function minutesOf(value: Value | undefined, evaluation: Evaluation): number | undefined {
  if (value === undefined || value === null) return undefined;
  const minutes = Number(toText(interpolateValue(value, evaluation)));
  return minutes > 0 ? minutes * 60_000 : undefined;
}

function continuesOnError(value: Value | undefined, evaluation: Evaluation): boolean {
  if (value === undefined) return false;
  try {
    const flag = interpolateValue(value, evaluation);
    return flag !== 'false' && isTruthy(flag);
  } catch {
    return false;
  }
}

export function messageOf(error: unknown): string {
  if (error instanceof StepFailure || error instanceof WorkflowError || error instanceof TimedOut) return error.message;
  return error instanceof Error ? error.message : String(error);
}
