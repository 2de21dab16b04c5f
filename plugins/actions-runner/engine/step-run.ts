import {
  interpolateValue,
  toText,
  type Evaluation,
  type Result,
  type Value,
  type ValueMap,
} from '@mortise/actions/workflow';
import type { Said, Session } from './session.js';
import type { Scope } from './types.js';

export const text = (value: Value | undefined): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === 'object' ? undefined : toText(value);

const mapOf = (value: Value | undefined): ValueMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ValueMap) : {};

/** `env`, `with`: every value as text, with its expressions evaluated. */
export function texts(value: Value | undefined, evaluation: Evaluation): Record<string, string> {
  const entries = Object.entries(mapOf(value)).map(
    ([key, one]) => [key, toText(interpolateValue(one, evaluation))] as const,
  );
  return Object.fromEntries(entries);
}

/** Variables of a step: those of its scope, then its own. */
export function environmentOf(session: Session, scope: Scope, step: ValueMap): Record<string, string> {
  return { ...scope.env, ...texts(step.env, session.evaluation(scope, scope.env)) };
}

export interface StepRun {
  readonly session: Session;
  readonly scope: Scope;
  readonly step: ValueMap;
  /** Its own variables are in it. */
  readonly env: Readonly<Record<string, string>>;
  readonly evaluation: Evaluation;
  readonly said: Said;
  readonly signal: AbortSignal;
  /** `defaults.run` of job and workflow. */
  readonly defaults: ValueMap;
  /** Runs a step of a composite action. */
  readonly runStep: RunStep;
}

export type RunStep = (
  session: Session,
  scope: Scope,
  step: ValueMap,
  options: { signal: AbortSignal; defaults: ValueMap; index: number },
) => Promise<Result>;
