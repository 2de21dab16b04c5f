import type { Logger } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import { leaseOwner } from '../leases.js';

/** How soon it is asked again whether this node has its turn, in milliseconds. */
const retryMs = 5000;

/** Lets this node carry out changes of plugins, in the process that looks after it. */
export class ChangeFollower {
  readonly id = leaseOwner();
  #isAsked = false;
  #isFollowing = false;

  constructor(
    private readonly options: HostOptions,
    private readonly log: () => Logger | undefined,
    /** Replaces the workers; undefined where there are none. */
    private readonly restart?: () => Promise<boolean>,
  ) {}

  /** There may be something to do. */
  follow(): void {
    this.#isAsked = true;
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    void this.#followWhileAsked().finally(() => (this.#isFollowing = false));
  }

  async #followWhileAsked(): Promise<void> {
    const { followChanges } = await import('../plugin-changes/follow-task.js');
    while (this.#isAsked) {
      this.#isAsked = false;
      const { isBusy, problem } = await followChanges(this.options, this.id, this.restart);
      if (problem !== undefined)
        this.log()?.error('could not carry out changes of plugins', { event: 'plugin.changes', error: problem });
      if (isBusy) setTimeout(() => this.follow(), retryMs).unref();
    }
  }
}
