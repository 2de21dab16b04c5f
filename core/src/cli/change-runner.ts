import type { Logger } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import { leaseOwner } from '../leases.js';
import type { applyChanges } from '../plugin-changes/apply-task.js';

/** How soon it is tried again, where this node does not have its turn or something went wrong; in milliseconds. */
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
    private readonly how: { readonly apply?: ApplyChanges; readonly retryMs?: number } = {},
  ) {}

  /** There may be something to do. */
  applyChanges(): void {
    this.#isAsked = true;
    if (this.#isApplying) return;
    this.#isApplying = true;
    void this.#applyWhileAsked().finally(() => (this.#isApplying = false));
  }

  async #applyWhileAsked(): Promise<void> {
    const apply: ApplyChanges = this.how.apply ?? (await import('../plugin-changes/apply-task.js')).applyChanges;
    while (this.#isAsked) {
      this.#isAsked = false;
      const { isBusy, failed, problem } = await apply(this.options, this.id, this.restart);
      const error = problem ?? failed;
      if (error !== undefined)
        this.log()?.error('could not carry out changes of plugins', { event: 'plugin.changes', error });
      if (isBusy || problem !== undefined)
        setTimeout(() => this.applyChanges(), this.how.retryMs ?? defaultRetryMs).unref();
    }
  }
}
