import { lookup as resolve, type LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Forbidden } from '@mortise/plugin-sdk';
import type { AllowedHosts } from './hosts.js';

/**
 * Of a host with several addresses each may be far away, and node's own patience is a quarter of a second; yet the next
 * must be tried well before a webhook's five seconds are over.
 */
export const eachAddress = { autoSelectFamilyAttemptTimeout: 1000 };

/** IPv6 without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');
export const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80));

/** Does not say which address a name has: that would tell about the network behind us. */
const refusedHost = (host: string) =>
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

/** A network whose proxy alone knows names outside answers look-ups late, or never. */
const resolveMs = 2000;

/**
 * For connections by a proxy, which looks the name up by itself: each address that the name has here must be allowed.
 * Where a name is known to the proxy alone, the proxy decides, unless the list of hosts names others.
 */
export async function checkResolved(host: string, allowed: AllowedHosts): Promise<void> {
  checkLiteral(host, allowed);
  if (isIP(host)) return;
  const ending = new AbortController();
  const late = wait(resolveMs, [] as LookupAddress[], { signal: ending.signal }).catch(() => []);
  const addresses = await Promise.race([lookup(host, { all: true }).catch(() => []), late]);
  ending.abort();
  const isAllowed = addresses.length
    ? addresses.every(({ address }) => allowed.allows(host, address))
    : allowed.allowsUnresolved(host);
  if (!isAllowed) throw refusedHost(host);
}
