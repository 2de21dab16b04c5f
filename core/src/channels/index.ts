import { channelKinds, type Logger } from '@mortise/plugin-sdk';
import { currentBroker } from '../broker/current.js';
import { createBroker } from '../broker/index.js';
import { MemoryBroker } from '../broker/memory.js';
import type { RedisSettings } from '../broker/settings.js';
import type { CallPlugin, ManagedBroker, PointBoard } from '../contracts.js';
import { ChannelHub, type HubDeps } from './hub.js';
import type { SocketSettings } from './settings.js';

export { ChannelHub, type Connection } from './hub.js';
export * from './settings.js';

interface ChannelOptions {
  readonly settings: { readonly websocket: Readonly<SocketSettings>; readonly redis: Readonly<RedisSettings> };
  /** The broker of the site, which is used unless the settings name another one. */
  readonly broker: ManagedBroker;
  readonly database: HubDeps['database'];
  readonly points: PointBoard;
  readonly log: Logger;
  readonly call: CallPlugin;
  /** How often the first connection to Redis is tried. */
  readonly attempts?: number;
}

/** PSH-12: in memory unless `[websocket] PUBSUB_TYPE` says otherwise; an empty address is that of the shared Redis. */
export async function createChannels(options: ChannelOptions): Promise<ChannelHub> {
  const { settings, points, log, call, database } = options;
  const { own, shared } = await brokerOf(options);
  return new ChannelHub({
    broker: currentBroker(own ?? shared, database, log),
    close: () => own?.close(),
    check: () => (own ?? shared).check(),
    kinds: points.reader(channelKinds),
    database,
    settings: settings.websocket,
    log,
    call,
  });
}

async function brokerOf({ settings: { websocket, redis }, broker, log, attempts }: ChannelOptions) {
  const address = websocket.PUBSUB_CONN_STR || redis.CONN_STR;
  if (websocket.PUBSUB_TYPE === 'redis') {
    if (!address)
      throw new Error('[websocket] PUBSUB_TYPE is redis, but neither PUBSUB_CONN_STR nor [redis] CONN_STR is set');
    if (address === redis.CONN_STR) return { own: undefined, shared: broker };
    const own = await createBroker({ settings: { ...redis, CONN_STR: address }, log, ...(attempts && { attempts }) });
    return { own, shared: broker };
  }
  return { own: redis.CONN_STR ? new MemoryBroker(log) : undefined, shared: broker };
}
