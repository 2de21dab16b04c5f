import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure, type ConnectionOptions } from 'node:tls';
import type { Client } from 'ldapts';
import { ldapts } from './library.js';
import type { DirectorySettings } from './settings.js';

export interface ConnectionLimits {
  /** For all that is done with it. */
  readonly totalMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

const connectMs = 5000;
const operationMs = 15_000;

export const signInLimits: ConnectionLimits = { totalMs: 20_000, maxBytes: 8 * 1024 * 1024 };

/**
 * Does something with one connection to the directory, encrypted as the settings ask before anything else is said. Ends
 * with it whatever happens; a connection that was lost is never made again, for it would not be encrypted or signed in.
 */
export async function withConnection<T>(
  { host, port, security, skipTlsVerify }: DirectorySettings,
  limits: ConnectionLimits,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const sockets = new Set<Socket>();
  let isLost = false;
  const bounded = <S extends Socket>(socket: S): S => {
    sockets.add(socket);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) socket.destroy(new Error('The directory sent more than is taken.'));
    });
    return socket;
  };
  const once = <S extends Socket>(make: () => S): S => {
    if (isLost) throw new Error('The connection to the directory was lost.');
    isLost = true;
    return bounded(make());
  };
  const tls: ConnectionOptions = {
    rejectUnauthorized: !skipTlsVerify,
    minVersion: 'TLSv1.2',
    host,
    ...(isIP(host) ? {} : { servername: host }),
  };
  const address = host.includes(':') ? `[${host}]` : host;
  const client = new (ldapts().Client)({
    url: `${security === 'ldaps' ? 'ldaps' : 'ldap'}://${address}:${port}`,
    connectTimeout: connectMs,
    timeout: operationMs,
    strictDN: false,
    ...(security === 'ldaps' && { tlsOptions: tls }),
    createConnection: (() => once(() => connectPlain(port, host))) as typeof connectPlain,
    createSecureConnection: ((...given: unknown[]) => {
      const started = given[0] as ConnectionOptions;
      if (security !== 'starttls') return once(() => connectSecure(port, host, tls));
      return bounded(connectSecure(started));
    }) as typeof connectSecure,
  });
  const stop = (reason: Error) => {
    for (const socket of sockets) socket.destroy(reason);
  };
  let fail: (reason: Error) => void = () => {};
  const over = new Promise<never>((_resolve, reject) => (fail = reject));
  over.catch(() => {});
  const end = (reason: string) => () => {
    fail(new Error(reason));
    stop(new Error(reason));
  };
  const timer = setTimeout(end('The directory took too long.'), limits.totalMs);
  const aborted = end('The work was stopped.');
  limits.signal?.addEventListener('abort', aborted, { once: true });
  try {
    const run = async () => {
      if (security === 'starttls') await client.startTLS(tls);
      return work(client);
    };
    return await Promise.race([run(), over]);
  } finally {
    clearTimeout(timer);
    limits.signal?.removeEventListener('abort', aborted);
    await Promise.race([client.unbind().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 200).unref())]);
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.destroy();
    }
  }
}
