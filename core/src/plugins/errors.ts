/** Everything that keeps the host from starting, said at once. */
export class StartError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? `Mortise cannot start: ${problems[0]}`
        : `Mortise cannot start, for ${problems.length} reasons:\n${problems.map((one) => `  - ${one}`).join('\n')}`,
    );
    this.name = 'StartError';
    this.problems = problems;
  }
}
