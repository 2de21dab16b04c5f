import type { Redis, RedisOptions } from 'ioredis';
import type { Logger } from '@mortise/plugin-sdk';
import { retryWhileUnavailable, reasonOf } from '../unavailable.js';
import type { ManagedBroker } from '../contracts.js';
import { connectRedis, openRedis } from './connection.js';
import type { RedisSettings } from './settings.js';
import { Topics } from './topics.js';

/** Messages between all nodes through Redis publish/subscribe. One pattern subscription takes all topics. */
export class RedisBroker implements ManagedBroker {
  readonly #topics: Topics;
  readonly #sender: Redis;
  readonly #receiver: Redis;
  readonly #prefix: string;

  private constructor(sender: Redis, receiver: Redis, prefix: string, log: Logger) {
    this.#topics = new Topics(log);
    this.#sender = sender;
    this.#receiver = receiver;
    this.#prefix = prefix;
    receiver.on('pmessage', (_pattern: string, channel: string, text: string) => {
      try {
        this.#topics.deliver(channel.slice(prefix.length), JSON.parse(text));
      } catch (error) {
        log.error('could not read a message from Redis', { event: 'broker.message', channel, error });
      }
    });
  }

  /** Waits for a server that is away; `attempts` in all. */
  static async connect(settings: Readonly<RedisSettings>, log: Logger, attempts: number): Promise<RedisBroker> {
    try {
      return await retryWhileUnavailable('Redis', { attempts }, log, () => RedisBroker.#connect(settings, log));
    } catch (error) {
      throw new Error(`[redis] CONN_STR: ${reasonOf(error)}`, { cause: error });
    }
  }

  static async #connect(settings: Readonly<RedisSettings>, log: Logger): Promise<RedisBroker> {
    const prefix = `${settings.PREFIX}topic:`;
    const open = (options: RedisOptions) => openRedis(settings.CONN_STR, settings.TIMEOUT, options);
    // what cannot be sent now is not sent later: it would be no news, and would fill the memory
    const sender = open({ commandTimeout: settings.TIMEOUT, maxRetriesPerRequest: 0, enableOfflineQueue: false });
    const receiver = open({ maxRetriesPerRequest: null });
    let warnedAt = 0;
    /** Says more than that the connection is closed. */
    let failed: Error | undefined;
    let isReady = false;
    const warn = (error: Error) => {
      failed = error;
      if (!isReady) return; // told by who waits
      // Each attempt to connect again fails like this.
      if (Date.now() - warnedAt < 10_000) return;
      warnedAt = Date.now();
      log.warn('Redis does not answer', { event: 'broker.unavailable', error: error.message });
    };
    for (const connection of [sender, receiver]) connection.on('error', warn);
    try {
      await Promise.all([sender, receiver].map(connectRedis));
      const broker = new RedisBroker(sender, receiver, prefix, log);
      // ioredis subscribes again by itself when the connection comes back.
      await receiver.psubscribe(`${escapePattern(prefix)}*`);
      isReady = true;
      return broker;
    } catch (error) {
      sender.disconnect();
      receiver.disconnect();
      throw failed ?? error;
    }
  }

  async publish(topic: string, message: unknown): Promise<void> {
    await this.#sender.publish(this.#prefix + topic, JSON.stringify(message ?? null));
  }

  subscribe(topic: string, handler: (message: unknown) => void): () => void {
    return this.#topics.subscribe(topic, handler);
  }

  async check(): Promise<void> {
    // Without a connection a command would wait for one.
    if (this.#sender.status !== 'ready') throw new Error('Redis is not connected');
    await this.#sender.ping();
  }

  close(): Promise<void> {
    this.#topics.clear();
    this.#sender.disconnect();
    this.#receiver.disconnect();
    return Promise.resolve();
  }
}

const escapePattern = (text: string) => text.replace(/[*?[\]\\]/g, '\\$&');
