import type { Broker, Channels } from '@mortise/plugin-sdk';

/** The channel of open pages, and the topic between processes. */
export const progressChannel = 'migrations';
const cancelledTopic = 'migrations.cancelled';
const changedTopic = 'migrations.changed';

interface AboutRepository {
  readonly repositoryId: number;
}
const isAbout = (message: unknown): message is AboutRepository =>
  typeof message === 'object' && message !== null && 'repositoryId' in message;

/** Minimum time between progress messages for one import. */
const notifyEveryMs = 500;

/** Tells open pages, and other processes, what becomes of imports. */
export class ImportNotifier {
  readonly #toldAt = new Map<number, number>();
  readonly #later = new Map<number, NodeJS.Timeout>();

  constructor(
    private readonly channels: Channels,
    private readonly broker: Broker,
  ) {}

  /** Never rejects: who does not hear of it looks again. */
  async changed(userId: number, repositoryId: number): Promise<void> {
    const now = Date.now();
    const since = now - (this.#toldAt.get(repositoryId) ?? 0);
    if (since < notifyEveryMs) {
      if (!this.#later.has(repositoryId))
        this.#later.set(
          repositoryId,
          setTimeout(() => void this.#notify(userId, repositoryId), notifyEveryMs - since).unref(),
        );
      return;
    }
    await this.#notify(userId, repositoryId);
  }

  async cancelled(userId: number, repositoryId: number): Promise<void> {
    await this.broker.publish(cancelledTopic, { repositoryId }).catch(() => undefined);
    await this.#notify(userId, repositoryId);
  }

  onCancelled = (repositoryId: number, handler: () => void): (() => void) =>
    this.#subscribe(cancelledTopic, repositoryId, handler);

  onChanged = (repositoryId: number, handler: () => void): (() => void) =>
    this.#subscribe(changedTopic, repositoryId, handler);

  #subscribe(topic: string, repositoryId: number, handler: () => void): () => void {
    return this.broker.subscribe(topic, (message) => {
      if (isAbout(message) && message.repositoryId === repositoryId) handler();
    });
  }

  async #notify(userId: number, repositoryId: number): Promise<void> {
    clearTimeout(this.#later.get(repositoryId));
    this.#later.delete(repositoryId);
    if (this.#toldAt.size > 1000) this.#toldAt.clear();
    this.#toldAt.set(repositoryId, Date.now());
    await this.broker.publish(changedTopic, { repositoryId }).catch(() => undefined);
    await this.channels.publish(progressChannel, { userIds: [userId] }, { repositoryId }).catch(() => undefined);
  }
}
