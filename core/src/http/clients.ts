import ipaddr from 'ipaddr.js';
import type { Logger } from '@mortise/plugin-sdk';
import type { SecuritySettings } from './settings.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Who the client is when proxies stand in front: only trusted ones may say (REVERSE_PROXY_TRUSTED_PROXIES). */
export class ClientAddresses {
  private readonly trusted: Network[] = [];
  private readonly anyone: boolean;
  private warned = false;

  constructor(
    private readonly settings: Readonly<SecuritySettings>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {
    const words = settings.REVERSE_PROXY_TRUSTED_PROXIES.split(',')
      .map((word) => word.trim())
      .filter(Boolean);
    this.anyone = words.includes('*');
    for (const word of words) {
      if (word === '*') continue;
      this.trusted.push(ipaddr.parseCIDR(word.includes('/') ? word : `${word}/${word.includes(':') ? 128 : 32}`));
    }
  }

  addressOf(peer: string, forwardedFor: string | undefined, realIp: string | undefined): string {
    if (this.settings.REVERSE_PROXY_LIMIT === 0 || (!forwardedFor && !realIp)) return plainAddress(peer);
    if (!this.isTrusted(peer)) {
      this.warn(peer);
      return plainAddress(peer);
    }
    if (!forwardedFor) return realIp && ipaddr.isValid(realIp) ? plainAddress(realIp) : plainAddress(peer);
    const chain = forwardedFor.split(',').map((part) => part.trim());
    let client = peer;
    for (let hop = 0; hop < this.settings.REVERSE_PROXY_LIMIT && chain.length > 0; hop++) {
      const next = chain.pop()!;
      if (!ipaddr.isValid(next)) break;
      client = next;
      if (!this.isTrusted(next)) break;
    }
    return plainAddress(client);
  }

  /** Such a machine is nearly always a proxy that the operator forgot: all of its clients would share their limits. */
  private warn(peer: string): void {
    if (this.warned || !ipaddr.isValid(peer)) return;
    if (!['private', 'uniqueLocal', 'carrierGradeNat'].includes(ipaddr.process(peer).range())) return;
    this.warned = true;
    this.log.warn(
      'a proxy in the local network forwards client addresses but is not in [security] REVERSE_PROXY_TRUSTED_PROXIES: all of its clients count as one',
      { event: 'http.untrustedProxy', address: plainAddress(peer) },
    );
  }

  isTrusted(address: string): boolean {
    if (this.anyone) return true;
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.trusted.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network as never, bits),
    );
  }
}

/** The one form of an address; IPv4 written in IPv6 becomes IPv4. */
export const plainAddress = (address: string): string =>
  address.includes(':') && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
