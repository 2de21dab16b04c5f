import { once } from 'node:events';
import { Redis, type RedisOptions } from 'ioredis';

const sentinelScheme = /^(rediss?)\+sentinel:\/\//i;
const defaultSentinelPort = 26_379;
const defaultMaster = 'mymaster';

/**
 * What `redis+sentinel://[user:password@]host:port[,host:port…][/database]?mastername=…` says, the form of compatible
 * servers: the hosts are those of the sentinels, user, password and database those of the Redis that they watch over. The
 * query may have `mastername` (else `mymaster`), `sentinelusername` and `sentinelpassword`. `rediss+sentinel`: both speak
 * TLS. Throws for what is no such address, without naming it, since it may hold a password.
 */
export function sentinelOptions(address: string): RedisOptions {
  const wrong = (why: string) => new Error(`the address of the sentinels ${why}`);
  const [, credentials = '', hosts = '', database = '', query = ''] =
    /^[^:]+:\/\/(?:(.*)@)?([^/?@]*)\/?([^?]*)\??(.*)$/.exec(address) ?? [];
  const sentinels = hosts.split(',').map((text) => {
    const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(text.trim()) ?? [];
    const host = bracketed ?? plain;
    if (!host) throw wrong('needs host:port, with commas between several');
    return { host, port: Number(port ?? defaultSentinelPort) };
  });
  if (!/^\d*$/.test(database)) throw wrong('has a database that is no number');
  const [username, password] = credentials.split(/:(.*)/s, 2).map(decodeURIComponent);
  const named = new Map(
    [...new URLSearchParams(query)].map(([key, value]) => [key.toLowerCase().replace('_', ''), value]),
  );
  const [sentinelUsername, sentinelPassword] = [named.get('sentinelusername'), named.get('sentinelpassword')];
  const isSecure = sentinelScheme.exec(address)?.[1]?.toLowerCase() === 'rediss';
  return {
    sentinels,
    name: named.get('mastername') || defaultMaster,
    ...(username && { username }),
    ...(password && { password }),
    ...(database && { db: Number(database) }),
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
    ...(isSecure && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

/** A client that connects when told to; `timeout` in milliseconds, for connecting and for each answer. */
export function openRedis(address: string, timeout: number, options: RedisOptions): Redis {
  const common = { ...options, lazyConnect: true, connectTimeout: timeout, socketTimeout: timeout };
  if (!sentinelScheme.test(address)) return new Redis(address, common);
  return new Redis({
    ...common,
    ...sentinelOptions(address),
    sentinelCommandTimeout: timeout,
    // a primary that was cut off is left when the sentinels name another, though its connections stand
    failoverDetector: true,
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
}

/** The first connection; rejects at the first failure, while the client goes on trying until it is disconnected. */
export async function connectRedis(redis: Redis): Promise<void> {
  const waiting = new AbortController();
  const failure = once(redis, 'error', { signal: waiting.signal }).then(([error]) => {
    throw error;
  });
  try {
    await Promise.race([redis.connect(), failure]);
  } finally {
    waiting.abort();
    failure.catch(() => undefined);
  }
}
