import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor, Surface } from './actor.js';
import { defineEvent } from './references.js';

/** Where an act comes from: a request, a connection over SSH, or a command of the operator. */
export interface ActOrigin {
  /** Read when the act happens: a request knows it only after its credentials were checked. */
  readonly actor: Actor;
  /** Address of the client; empty for commands. */
  readonly remoteAddress: string;
  readonly surface: Surface | 'ssh' | 'command';
  /** Plugin whose route or command it is. */
  readonly plugin: string;
}

/**
 * The origin of what runs at the moment, carried by the async context. Following contexts costs every promise of the
 * process, so it is done only while something runs that may write.
 */
class ActOrigins {
  readonly #context = new AsyncLocalStorage<{ readonly origin: ActOrigin; hasEnded: boolean } | undefined>();
  #running = 0;

  /** Undefined in jobs, in what follows an event after the commit, and in requests that only read. */
  current(): ActOrigin | undefined {
    const run = this.#context.getStore();
    return run && !run.hasEnded ? run.origin : undefined;
  }

  async run<T>(origin: ActOrigin, work: () => Promise<T>): Promise<T> {
    this.#running++;
    const run = { origin, hasEnded: false };
    try {
      return await this.#context.run(run, work);
    } finally {
      run.hasEnded = true;
      if (--this.#running === 0) this.#context.disable();
    }
  }

  /** Runs what the current act only wakes and does not do itself, such as jobs. */
  outside<T>(work: () => T): T {
    return this.#running === 0 ? work() : this.#context.run(undefined, work);
  }
}
/** Requests that write, commands and SSH run in it by themselves; a route that writes on GET does it for itself. */
export const actOrigins = new ActOrigins();

/** A security-relevant act, as the audit log shows it. It must hold no secrets. */
export interface AuditedAct {
  /** `subject.verb` in snake case, for instance `access_token.create`; at most 64 characters. */
  readonly action: string;
  /** The thing itself. Its name is stored, so that the entry can be read when the thing is gone. */
  readonly target: { readonly kind: string; readonly id?: number; readonly name: string };
  /** Who acted, where it is not whom {@link ActOrigin} names. */
  readonly actorId?: number;
  /** Address of the client, where there is no {@link ActOrigin}. */
  readonly remoteAddress?: string;
  /** The user whose account, credential, membership or right it is. */
  readonly userId?: number;
  /** The account that owns the target, for instance an organization; known from {@link repositoryId} where that is given. */
  readonly ownerId?: number;
  readonly repositoryId?: number;
  /** More, for instance old and new values; at most 2,000 characters as JSON. */
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/**
 * Emitted by services in the transaction of the act. What listens within (the plugin `audit`) stores it there, so that
 * there are act and entry, or neither; where nothing listens it costs nothing.
 */
export const actAudited = defineEvent<AuditedAct>('core.actAudited');
