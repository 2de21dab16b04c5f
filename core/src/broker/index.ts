import type { Logger } from '@mortise/plugin-sdk';
import type { ManagedBroker } from '../contracts.js';
import { MemoryBroker } from './memory.js';
import type { RedisSettings } from './settings.js';

export * from './settings.js';

interface BrokerOptions {
  readonly settings: Readonly<RedisSettings>;
  readonly log: Logger;
  /** How often the first connection is tried; default 10. */
  readonly attempts?: number;
}

/** Redis when CONN_STR is set, else memory: this process, and the cluster's workers when the primary relays. */
export async function createBroker({ settings, log, attempts = 10 }: BrokerOptions): Promise<ManagedBroker> {
  if (!settings.CONN_STR) return new MemoryBroker(log);
  const { RedisBroker } = await import('./redis.js');
  return RedisBroker.connect(settings, log, attempts);
}
