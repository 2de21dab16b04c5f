import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Forbidden } from '@mortise/plugin-sdk';
import type { AllowedHosts } from './hosts.js';

/** Does not say which address a name has: that would tell about the network behind us. */
export const refusedHost = (host: string) =>
  Forbidden(`Requests to ${host} are not allowed. Administrators can change [security] ALLOWED_HOST_LIST.`);

/** Addresses are not looked up, so they are judged before the connection. */
export function checkLiteral(host: string, allowed: AllowedHosts): void {
  if (isIP(host) && !allowed.allows(host, host)) throw refusedHost(host);
}

/** Resolves for a connection and gives only allowed addresses. */
export function guardedLookup(allowed: AllowedHosts): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const list = addresses as LookupAddress[];
      const usable = list.filter(({ address }) => allowed.allows(host, address));
      const first = usable[0];
      if (!first) return callback(refusedHost(host) as NodeJS.ErrnoException, '', 0);
      if (options.all) return (callback as unknown as (error: null, addresses: LookupAddress[]) => void)(null, usable);
      callback(null, first.address, first.family);
    });
  };
}
