import type { Broker, ChannelKind, Channels, Logger } from '@mortise/plugin-sdk';

export const logChannel = 'actions-log';
const topic = 'actions.log';
/** A page says again that it looks within this time, in milliseconds. */
const watchedMs = 60_000;
/** Tasks whose watchers one process remembers. */
const maxTasks = 10_000;

export interface LogChange {
  readonly taskId: number;
  readonly lines: number;
  readonly isSealed: boolean;
}

/** Knows who looks at which log, and tells them what is added; nobody else is bothered. */
export class LogWatchers {
  readonly #watching = new Map<number, Map<number, number>>();
  readonly #end: () => void;

  constructor(
    private readonly broker: Broker,
    private readonly channels: Channels,
    private readonly log: Logger,
  ) {
    this.#end = broker.subscribe(topic, (message) => void this.#heard(message as LogChange));
  }

  watch(taskId: number, userId: number): void {
    const known = this.#watching.get(taskId) ?? new Map<number, number>();
    known.set(userId, Date.now() + watchedMs);
    this.#watching.delete(taskId);
    this.#watching.set(taskId, known);
    if (this.#watching.size > maxTasks) this.#watching.delete(this.#watching.keys().next().value!);
  }

  /** After the commit. */
  changed(change: LogChange): void {
    this.broker
      .publish(topic, change)
      .catch((error: unknown) => this.log.warn('pages were not told of new lines of a log', { error }));
  }

  async #heard(change: LogChange): Promise<void> {
    const known = this.#watching.get(change.taskId);
    if (!known) return;
    const now = Date.now();
    for (const [userId, until] of known) if (until < now) known.delete(userId);
    if (known.size === 0 || change.isSealed) this.#watching.delete(change.taskId);
    if (known.size === 0) return;
    try {
      await this.channels.publish(logChannel, { userIds: [...known.keys()] }, change);
    } catch (error) {
      this.log.warn('pages were not told of new lines of a log', { error });
    }
  }

  close(): void {
    this.#end();
  }
}

/** What is told are numbers of lines; the lines are asked for by whoever may read them. */
export const logChannelKind: ChannelKind<LogChange> = {
  key: logChannel,
  authorize: ({ kind }) => kind === 'user',
  message: (_actor, change) => ({ eventType: logChannel, eventData: change }),
};
