// What becomes of test files that failed (decision 0013).

/**
 * Runs tasks with `run`, and says what they found with `say` and `warn`. Where all files that failed beside others are such
 * that `mayRetry`, they run once more by themselves in `retry()`, and count as flaky when they pass then; otherwise every
 * failure is one at once.
 */
export class Verdicts {
  passed = 0;
  skipped = 0;
  failed = 0;
  /** Said again at the end: of a long output only the last part may be kept. */
  failures = [];
  /** Failed beside others and passed alone: defects of the test or, worse, races of the product. Never hidden. */
  flaky = [];
  /** What each took. */
  costs = [];
  #again = [];

  constructor({ run, mayRetry = () => false, noteSeconds, say, warn }) {
    Object.assign(this, { run, mayRetry, noteSeconds, say, warn });
  }

  fail(what, tests = 1) {
    this.failed += tests;
    this.failures.push(what);
    this.warn(`✖ ${what}`);
  }

  async first(task) {
    const result = await this.#run(task);
    // where it cannot be told which failed, it may have been any
    const mayRetry = (result.failedFiles ?? task.files).every((file) => this.mayRetry(file));
    if (result.isGreen || !mayRetry) return void this.#count(task, result);
    this.warn(`? ${result.text}`);
    this.#again.push({ task, before: result });
  }

  /** After all others: of files that shared a process, those that failed run each in one of their own. */
  async retry() {
    for (const { task, before } of this.#again.splice(0)) {
      const results = [];
      // where it cannot be told which failed, all
      for (const file of before.failedFiles ?? task.files) {
        const alone = { ...task, files: [file] };
        results.push(await this.#run(alone));
        this.#count(alone, results.at(-1));
      }
      if (before.failedFiles) this.#countRest(before, results);
      if (results.every(({ isGreen }) => isGreen)) this.flaky.push(before.text);
    }
  }

  /** What passed in a process with others that failed, which ran again. */
  #countRest(before, again) {
    const ran = ({ passed, failed }) => passed + failed;
    const left = (count) =>
      Math.max(
        0,
        again.reduce((sum, result) => sum - count(result), count(before)),
      );
    this.passed += left(ran);
    this.skipped += left(({ skipped }) => skipped);
  }

  async #run(task) {
    const result = await this.run(task);
    const { name, seconds, busySeconds } = result;
    this.costs.push({ name, seconds, busySeconds });
    return result;
  }

  #count(task, { name, isGreen, text, passed, skipped, failed, seconds, busySeconds }) {
    this.passed += passed;
    this.skipped += skipped;
    if (!isGreen) return void this.fail(text, failed || 1);
    for (const file of task.files) this.noteSeconds({ ...task, file }, seconds / task.files.length);
    const left = skipped ? ` (${skipped} skipped)` : '';
    this.say(`✔ ${name}: ${passed}${left}, ${seconds.toFixed(1)} s, ${busySeconds.toFixed(1)} s busy`);
  }
}
