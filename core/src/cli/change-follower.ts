import type { Logger } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import { leaseOwner } from '../leases.js';
import type { followChanges } from '../plugin-changes/follow-task.js';

/** How soon it is tried again, where this node does not have its turn or something went wrong; in milliseconds. */
const defaultRetryMs = 5000;

type FollowChanges = typeof followChanges;

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
    /** For tests. */
    private readonly how: { readonly follow?: FollowChanges; readonly retryMs?: number } = {},
  ) {}

  /** There may be something to do. */
  follow(): void {
    this.#isAsked = true;
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    void this.#followWhileAsked().finally(() => (this.#isFollowing = false));
  }

  async #followWhileAsked(): Promise<void> {
    const follow: FollowChanges = this.how.follow ?? (await import('../plugin-changes/follow-task.js')).followChanges;
    while (this.#isAsked) {
      this.#isAsked = false;
      const { isBusy, failed, problem } = await follow(this.options, this.id, this.restart);
      const error = problem ?? failed;
      if (error !== undefined)
        this.log()?.error('could not carry out changes of plugins', { event: 'plugin.changes', error });
      if (isBusy || problem !== undefined) setTimeout(() => this.follow(), this.how.retryMs ?? defaultRetryMs).unref();
    }
  }
}
