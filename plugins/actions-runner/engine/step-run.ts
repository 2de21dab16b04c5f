import { interpolateValue, isMap, toText, type Evaluation, type Value, type ValueMap } from '@mortise/actions/workflow';
import type { Session } from './session.js';
import type { StepOutput, Scope, StepOutcome } from './types.js';

export const text = (value: Value | undefined): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === 'object' ? undefined : toText(value);

/** `env`, `with`: every value as text, with its expressions evaluated. */
export function texts(value: Value | undefined, evaluation: Evaluation): Record<string, string> {
  const entries = Object.entries(isMap(value) ? value : {}).map(
    ([key, one]) => [key, toText(interpolateValue(one, evaluation))] as const,
  );
  return Object.fromEntries(entries);
}

/** Inputs as actions get them. */
export const inputVariables = (inputs: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value]),
  );

/** What earlier parts of an action have kept, as its later ones get it. */
export const stateVariables = (state: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(state).map(([key, value]) => [`STATE_${key}`, value]));

/** Variables of a step: those of its scope, then its own. */
export function stepEnvironment(session: Session, scope: Scope, step: ValueMap): Record<string, string> {
  return { ...scope.env, ...texts(step.env, session.evaluation(scope, scope.env)) };
}

export interface StepRun {
  readonly session: Session;
  readonly scope: Scope;
  readonly step: ValueMap;
  /** Its own variables are in it. */
  readonly env: Readonly<Record<string, string>>;
  readonly evaluation: Evaluation;
  readonly output: StepOutput;
  readonly signal: AbortSignal;
  /** `defaults.run` of job and workflow. */
  readonly defaults: ValueMap;
  /** Runs a step of a composite action. */
  readonly runStep: RunStep;
}

type RunStep = (
  session: Session,
  scope: Scope,
  step: ValueMap,
  options: { signal: AbortSignal; defaults: ValueMap; index: number },
) => Promise<StepOutcome>;
