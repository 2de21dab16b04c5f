import type {
  Actor,
  Broker,
  ChannelAddress,
  ChannelKind,
  Channels,
  Database,
  Logger,
  PointReader,
} from '@mortise/plugin-sdk';
import type { CallPlugin } from '../contracts.js';
import type { SocketSettings } from './settings.js';

/** One open connection of somebody who is signed in. */
export interface Connection {
  readonly actor: Actor;
  /** Of the client. */
  readonly address: string;
  send(message: unknown): void;
  close(code: number, reason: string): void;
  /** Who the credential that it was opened with stands for now; `unknown`: that cannot be told at present. */
  identify(): Promise<Actor | undefined | 'unknown'>;
}

export interface HubDeps {
  readonly broker: Broker;
  readonly kinds: PointReader<ChannelKind>;
  readonly database: Pick<Database, 'afterCommit' | 'syncVersions' | 'inTransaction'>;
  readonly settings: Readonly<SocketSettings>;
  readonly log: Logger;
  readonly call: CallPlugin;
  close(): Promise<void> | void;
  check(): Promise<void>;
}

/** What travels between processes. */
interface Published {
  /** Undefined: the accounts are to be looked at again. */
  readonly key?: string;
  readonly to: ChannelAddress;
  readonly payload?: unknown;
}

const topic = 'channels';
/** PSH-02: what a connection is told that nobody is signed in on, or no more. */
export const unauthenticated = { code: 3000, reason: 'unauthenticated' } as const;
/** For clients that come back by themselves, and ask then for what they have missed. */
const tryAgain = { code: 1013, reason: 'try again later' } as const;
/** Sessions end by themselves too: so long a connection is taken for that of who opened it. */
const trustedMs = 60_000;
/** Messages that one account may have waiting. */
const maxWaiting = 100;

interface Work {
  readonly message: Published;
  /** For this connection alone. */
  readonly only?: Connection;
}

interface Waiting {
  readonly work: Work[];
  running: boolean;
}

/** Knows the connections of this process, and brings them what any process publishes. */
export class ChannelHub implements Channels {
  readonly #byUser = new Map<number, Map<Connection, { checkedAt: number }>>();
  readonly #byAddress = new Map<string, number>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #end: () => void;

  constructor(private readonly deps: HubDeps) {
    this.#end = deps.broker.subscribe(topic, (message) => this.#heard(message as Published));
  }

  /** Does any plugin have a channel? Without one there is no endpoint. */
  get isUsed(): boolean {
    return this.deps.kinds.list().length > 0;
  }

  async publish(key: string, to: ChannelAddress, payload?: unknown): Promise<void> {
    if (!this.deps.kinds.get(key)) throw new Error(`there is no channel ${key}`);
    await this.#tell({ key, to, payload });
  }

  async recheck(userIds: readonly number[]): Promise<void> {
    await this.#tell({ to: { userIds } });
  }

  /** False: there are too many. */
  add(connection: Connection): boolean {
    const { actor, address } = connection;
    const { MAX_PER_ACCOUNT, MAX_PER_ADDRESS } = this.deps.settings;
    const own = this.#byUser.get(actor.id);
    const near = this.#byAddress.get(address) ?? 0;
    if ((own?.size ?? 0) >= MAX_PER_ACCOUNT || near >= MAX_PER_ADDRESS) return false;
    const known = { checkedAt: Date.now() };
    if (own) own.set(connection, known);
    else this.#byUser.set(actor.id, new Map([[connection, known]]));
    this.#byAddress.set(address, near + 1);
    return true;
  }

  /** Tells whoever has just come how things are; after what is on its way to the same account. */
  tellState(only: Connection): void {
    const { id } = only.actor;
    for (const { key, isState } of this.deps.kinds.list())
      if (isState) this.#queue(id, { message: { key, to: { userIds: [id] } }, only });
  }

  remove(connection: Connection): void {
    const { actor, address } = connection;
    const own = this.#byUser.get(actor.id);
    if (!own?.delete(connection)) return;
    if (own.size === 0) this.#byUser.delete(actor.id);
    const near = (this.#byAddress.get(address) ?? 1) - 1;
    if (near > 0) this.#byAddress.set(address, near);
    else this.#byAddress.delete(address);
  }

  check(): Promise<void> {
    return this.deps.check();
  }

  async close(): Promise<void> {
    this.#end();
    await this.deps.close();
  }

  /** Nobody hears of what is not committed; whoever is in a transaction does not wait for its end. */
  async #tell(message: Published): Promise<void> {
    const { broker, database, log } = this.deps;
    if (!database.inTransaction()) return broker.publish(topic, message);
    database.afterCommit(() =>
      broker
        .publish(topic, message)
        .catch((error: unknown) =>
          log.error('could not publish a live message', { event: 'channel.publish', channel: message.key, error }),
        ),
    );
  }

  #heard(message: Published): void {
    for (const userId of message.to.userIds) this.#queue(userId, { message });
  }

  #queue(userId: number, work: Work): void {
    if (!this.#byUser.has(userId)) return;
    const waiting = this.#waiting.get(userId) ?? { work: [], running: false };
    this.#waiting.set(userId, waiting);
    // what has not begun yet will tell of this as well
    const text = JSON.stringify(work.message);
    if (waiting.work.some(({ message, only }) => only === work.only && JSON.stringify(message) === text)) return;
    if (waiting.work.length >= maxWaiting) waiting.work.shift();
    waiting.work.push(work);
    if (!waiting.running) void this.#workOff(userId, waiting);
  }

  /** One after the other, so that the last message tells how things are. */
  async #workOff(userId: number, waiting: Waiting): Promise<void> {
    waiting.running = true;
    for (let next = waiting.work.shift(); next; next = waiting.work.shift())
      await this.#deliver(userId, next).catch((error: unknown) =>
        this.deps.log.error('could not deliver a live message', {
          event: 'channel.deliver',
          channel: next?.message.key,
          error,
        }),
      );
    this.#waiting.delete(userId);
  }

  async #deliver(userId: number, { message: { key, to, payload }, only }: Work): Promise<void> {
    const kind = key === undefined ? undefined : this.deps.kinds.get(key);
    const recipients = [...(this.#byUser.get(userId) ?? [])].filter(
      ([connection]) =>
        (!only || connection === only) &&
        (!to.credentialIds || to.credentialIds.includes(connection.actor.credentialId ?? -1)),
    );
    const last = kind?.isLast ?? false;
    const present: Connection[] = [];
    for (const [connection, known] of recipients) {
      // whose session has just ended hears at least that
      const isTrusted = last || (kind !== undefined && Date.now() - known.checkedAt < trustedMs);
      if (isTrusted || (await this.#isStill(connection, known))) present.push(connection);
    }
    if (!kind || present.length === 0) return;
    const { actor } = present[0]!;
    const owner = this.deps.kinds.ownerOf(kind) ?? 'core';
    const message = await this.deps.call(owner, `channel ${kind.key}`, async () =>
      (await kind.authorize(actor, payload)) ? await kind.message(actor, payload) : undefined,
    );
    for (const connection of present) {
      if (message !== undefined) connection.send(message);
      if (last) this.#part(connection);
    }
  }

  async #isStill(connection: Connection, known: { checkedAt: number }): Promise<boolean> {
    const actor = await connection.identify();
    if (actor === 'unknown') {
      connection.close(tryAgain.code, tryAgain.reason);
      this.remove(connection);
      return false;
    }
    if (actor?.kind === 'user' && actor.id === connection.actor.id) {
      known.checkedAt = Date.now();
      return true;
    }
    this.#part(connection);
    return false;
  }

  #part(connection: Connection): void {
    connection.close(unauthenticated.code, unauthenticated.reason);
    this.remove(connection);
  }
}
