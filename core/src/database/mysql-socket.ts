import { connect, type Socket } from 'node:net';
import type { Connection } from 'mysql2';
import { codeOf } from './driver-error.js';

/** Where the server listens. */
type MysqlEndpoint = { readonly host: string; readonly port: number } | { readonly socketPath: string };

/** A server that stands still does not close its side either, in milliseconds. */
const closeMs = 1000;

/** The socket of one connection: once our side has ended nothing is waited for, so that it is given back in any case. */
export function openSocket(endpoint: MysqlEndpoint): Socket {
  const socket = 'socketPath' in endpoint ? connect(endpoint.socketPath) : connect(endpoint.port, endpoint.host);
  socket.setNoDelay(true);
  socket.setKeepAlive(true);
  socket.once('finish', () => setTimeout(() => socket.destroy(), closeMs).unref());
  return socket;
}

/** A socket that fails when nothing moves for so long, while somebody waits for it. */
export function openWatchedSocket(endpoint: MysqlEndpoint, milliseconds: number): Socket {
  const socket = openSocket(endpoint);
  socket.setTimeout(milliseconds, () => {
    if (socket.isPaused()) return;
    socket.destroy(
      Object.assign(new Error(`the database server was silent for ${milliseconds} ms`), { code: 'ETIMEDOUT' }),
    );
  });
  return socket;
}

const timeouts = new WeakMap<object, number>();

/** From now on each statement of the connection may take so many milliseconds; 0: as long as it takes. */
export function limitStatements(connection: Connection, milliseconds: number): void {
  timeouts.set(connection, milliseconds);
}

/** Options of a statement on that connection. */
export function limitOf(connection: object): { readonly timeout?: number } {
  const timeout = timeouts.get(connection);
  return timeout ? { timeout } : {};
}

/**
 * Ends the connection whose statement was not answered in time: the answer may still come, and would be taken for that of
 * the next. The server takes back what the transaction did, with its locks, when it sees the end.
 */
export function endIfTimedOut(connection: Connection, error: unknown): void {
  if (codeOf(error) !== 'PROTOCOL_SEQUENCE_TIMEOUT' || !(error instanceof Error)) return;
  Object.assign(error, { fatal: true });
  connection.destroy();
}
