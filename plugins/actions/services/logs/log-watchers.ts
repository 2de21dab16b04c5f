import type { Broker, ChannelKind, Channels, Logger } from '@mortise/plugin-sdk';

const logChannel = 'actions-log';
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

/** Keeps the watchers of each log, and notifies them of added lines. */
export class LogWatchers {
  readonly #watching = new Map<number, Map<number, number>>();
  readonly #end: () => void;

  constructor(
    private readonly broker: Broker,
    private readonly channels: Channels,
    private readonly log: Logger,
  ) {
    this.#end = broker.subscribe(topic, (message) => void this.#receive(message as LogChange));
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
      .catch((error: unknown) =>
        this.log.warn('could not notify watchers of new log lines', { event: 'actions.log.notify', error }),
      );
  }

  async #receive(change: LogChange): Promise<void> {
    const known = this.#watching.get(change.taskId);
    if (!known) return;
    const now = Date.now();
    for (const [userId, until] of known) if (until < now) known.delete(userId);
    if (known.size === 0 || change.isSealed) this.#watching.delete(change.taskId);
    if (known.size === 0) return;
    try {
      await this.channels.publish(logChannel, { userIds: [...known.keys()] }, change);
    } catch (error) {
      this.log.warn('could not notify watchers of new log lines', { event: 'actions.log.notify', error });
    }
  }

  close(): void {
    this.#end();
  }
}

/** Messages hold numbers of lines only; watchers fetch the lines with their own permissions. */
export const logChannelKind: ChannelKind<LogChange> = {
  key: logChannel,
  authorize: ({ kind }) => kind === 'user',
  message: (_actor, change) => ({ eventType: logChannel, eventData: change }),
};
