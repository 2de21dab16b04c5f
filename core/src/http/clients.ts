import ipaddr from 'ipaddr.js';
import type { SecuritySettings } from './settings.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Who the client is when proxies stand in front: only trusted ones may say (REVERSE_PROXY_TRUSTED_PROXIES). */
export class ClientAddresses {
  private readonly trusted: Network[] = [];
  private readonly anyone: boolean;

  constructor(private readonly settings: Readonly<SecuritySettings>) {
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
    if (this.settings.REVERSE_PROXY_LIMIT === 0 || (!forwardedFor && !realIp) || !this.isTrusted(peer))
      return plain(peer);
    if (!forwardedFor) return realIp && ipaddr.isValid(realIp) ? plain(realIp) : plain(peer);
    const chain = forwardedFor.split(',').map((part) => part.trim());
    let found = peer;
    for (let hop = 0; hop < this.settings.REVERSE_PROXY_LIMIT && chain.length > 0; hop++) {
      const next = chain.pop()!;
      if (!ipaddr.isValid(next)) break;
      found = next;
      if (!this.isTrusted(next)) break;
    }
    return plain(found);
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

/** IPv4 written in IPv6 becomes IPv4. */
const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address);
