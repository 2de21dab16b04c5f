import { limits, WorkflowError, type Value } from './values.js';

/** Contexts by name. `gitea` and `mortise` are read as `github`; missing ones are null. */
export interface Contexts {
  readonly github?: Value;
  readonly needs?: Value;
  readonly vars?: Value;
  readonly inputs?: Value;
  readonly strategy?: Value;
  readonly matrix?: Value;
  readonly jobs?: Value;
  readonly env?: Value;
  readonly secrets?: Value;
  readonly job?: Value;
  readonly steps?: Value;
  readonly runner?: Value;
}

/** What success(), failure() and cancelled() say. */
export interface StatusFlags {
  readonly success: boolean;
  readonly failure: boolean;
  readonly cancelled: boolean;
}

export interface Evaluation {
  readonly contexts: Contexts;
  /** Without it success(), failure() and cancelled() are refused; always() is true. */
  readonly status?: StatusFlags;
  /** What this and other evaluations may take together. */
  readonly budget?: Budget;
  /** Only a runner has one; throws or gives a text. */
  readonly hashFiles?: (patterns: readonly string[]) => string;
}

/** Counts what evaluations do, so that none takes longer than anybody needs. */
export class Budget {
  #left: number;

  constructor(
    /** Of several evaluations together. */
    private readonly shared?: Budget,
    steps: number = limits.evaluationSteps,
  ) {
    this.#left = steps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new WorkflowError('the expression takes too many steps');
    this.shared?.spend(steps);
  }

  /** For reading so much of a text. */
  read(value: unknown): void {
    if (typeof value === 'string') this.spend(Math.floor(value.length / 64));
  }

  text(text: string): string {
    if (text.length > limits.resultLength) throw new WorkflowError('the result of the expression is too long');
    this.spend(1 + Math.floor(text.length / 64));
    return text;
  }
}
