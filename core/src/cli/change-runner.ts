import type { Logger } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import { leaseOwner } from '../leases.js';
import type { applyChanges } from '../plugin-changes/apply-task.js';

/** After how many milliseconds it is tried again where another node has its turn or an error occurred. */
const defaultRetryMs = 5000;

type ApplyChanges = typeof applyChanges;

/** Runs in the process that looks after a node: starts another that applies changes of plugins, whenever somebody asks. */
export class ChangeRunner {
  readonly id = leaseOwner();
  #isAsked = false;
  #isApplying = false;

  constructor(
    private readonly options: HostOptions,
    private readonly log: () => Logger | undefined,
    /** Replaces the workers; undefined where there are none. */
    private readonly restart?: () => Promise<boolean>,
    /** For tests. */
    private readonly overrides: { readonly apply?: ApplyChanges; readonly retryMs?: number } = {},
  ) {}

  /** Applies what is pending; asked for again while it runs, it runs once more. */
  applyChanges(): void {
    this.#isAsked = true;
    if (this.#isApplying) return;
    this.#isApplying = true;
    void this.#applyWhileAsked().finally(() => (this.#isApplying = false));
  }

  async #applyWhileAsked(): Promise<void> {
    const apply: ApplyChanges = this.overrides.apply ?? (await import('../plugin-changes/apply-task.js')).applyChanges;
    while (this.#isAsked) {
      this.#isAsked = false;
      const { isBusy, failed, problem } = await apply(this.options, this.id, this.restart);
      const error = problem ?? failed;
      if (error !== undefined)
        this.log()?.error('could not carry out changes of plugins', { event: 'plugin.changes', error });
      if (isBusy || problem !== undefined)
        setTimeout(() => this.applyChanges(), this.overrides.retryMs ?? defaultRetryMs).unref();
    }
  }
}
