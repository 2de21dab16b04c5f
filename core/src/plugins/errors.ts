/** One reason not to start. */
export interface StartProblem {
  /** Plugins at fault: without any one of them it would not be there. Empty: it is nobody's. */
  readonly plugins: readonly string[];
  readonly text: string;
  /** It would not be there without the problem of another plugin. */
  readonly isConsequence?: boolean;
}

/** Everything that keeps the host from starting, said at once. */
export class StartError extends Error {
  readonly problems: readonly string[];
  readonly causes: readonly StartProblem[];

  constructor(causes: readonly StartProblem[]) {
    const problems = [...new Set(causes.map((one) => one.text))];
    super(
      problems.length === 1
        ? `Mortise cannot start: ${problems[0]}`
        : `Mortise cannot start, for ${problems.length} reasons:\n${problems.map((one) => `  - ${one}`).join('\n')}`,
    );
    this.name = 'StartError';
    this.problems = problems;
    this.causes = causes;
  }
}

/** A plugin failed at something that the host asked of it. */
export class PluginError extends Error {
  constructor(
    readonly plugin: string,
    what: string,
    cause: unknown,
  ) {
    super(`the plugin ${plugin} ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'PluginError';
  }

  /** Names the plugin, unless the error names one already: whoever failed first is at fault. */
  static of(plugin: string, what: string, cause: unknown): PluginError {
    return cause instanceof PluginError ? cause : new PluginError(plugin, what, cause);
  }
}

/** What a start says of whatever was thrown; errors of a plugin carry its name in `plugin`. */
export function problemOf(error: unknown): StartProblem {
  const text = error instanceof Error ? error.message : String(error);
  const { plugin } = (error ?? {}) as { plugin?: unknown };
  return { plugins: typeof plugin === 'string' && plugin !== 'core' ? [plugin] : [], text };
}

/** All reasons of an error that ended a start. */
export const causesOf = (error: unknown): readonly StartProblem[] =>
  error instanceof StartError ? error.causes : [problemOf(error)];
