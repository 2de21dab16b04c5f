import { connect as open, type Socket } from 'node:net';
import { checkLiteral, guardedLookup } from './connect.js';
import type { AllowedHosts } from './hosts.js';

interface TcpTarget {
  readonly host: string;
  readonly port: number;
  readonly allowed: AllowedHosts;
  readonly signal: AbortSignal;
}

/** A TCP connection to an address that the list allows. It ends with the signal only while it is being opened. */
export function openConnection({ host, port, allowed, signal }: TcpTarget): Promise<Socket> {
  checkLiteral(host, allowed);
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const socket = open({
      host,
      port,
      lookup: guardedLookup(allowed),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 1000,
    });
    const abort = () => socket.destroy(signal.reason as Error);
    const done = () => {
      signal.removeEventListener('abort', abort);
      socket.removeListener('error', fail);
    };
    const fail = (error: Error) => {
      done();
      reject(error);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', fail).once('connect', () => {
      done();
      resolve(socket);
    });
  });
}
