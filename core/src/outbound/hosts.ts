import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type AddressRule = (address: Address) => boolean;

const loopback = (address: Address): boolean => address.range() === 'loopback';

/** RFC 1918 and RFC 4193. */
const privateNetwork = (address: Address): boolean => {
  const range = address.range();
  return range === 'private' || range === 'uniqueLocal';
};

const globalUnicast: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Reachable in the whole internet: everything that is not set aside for something else (IANA, "Special-Purpose Address
 * Registry"). IPv6 addresses that carry an IPv4 address (`::/96`, `::ffff:0:0:0/96`, NAT64, 6to4, Teredo) are not: where
 * they lead is up to a translator.
 */
const external = (address: Address): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast));

const glob = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );

/** Undefined: the word is a name. */
function addressRule(word: string): AddressRule | undefined {
  switch (word) {
    case '*':
      return () => true;
    case 'loopback':
      return loopback;
    case 'private':
      return privateNetwork;
    case 'external':
      return external;
    default:
  }
  if (/^[\da-f.:]+\/\d+$/i.test(word)) {
    const [network, bits] = ipaddr.parseCIDR(word);
    return (address) => address.kind() === network.kind() && address.match(network as never, bits);
  }
  if (ipaddr.isValid(word)) {
    const wanted = ipaddr.process(word).toString();
    return (address) => address.toString() === wanted;
  }
  return undefined;
}

/** IPv6 without dots: ipaddr.js takes `::1.2.3.4`, an address of its own, for `::ffff:1.2.3.4`. */
const inHex = (address: string): string =>
  address.includes(':') && address.includes('.') && URL.canParse(`http://[${address}]/`)
    ? new URL(`http://[${address}]/`).hostname.slice(1, -1)
    : address;

/**
 * Where requests may go (GEN-14). A host is judged with each address that it resolves to, at the moment of connecting,
 * so that a name that changes its mind between check and use gains nothing.
 */
export class AllowedHosts {
  readonly #addresses: AddressRule[] = [];
  readonly #names: RegExp[] = [];

  constructor(list: string) {
    const words = list
      .split(',')
      .map((word) => word.trim().toLowerCase())
      .filter(Boolean);
    for (const word of words.length > 0 ? words : ['external']) {
      const rule = addressRule(word);
      if (rule) this.#addresses.push(rule);
      else this.#names.push(glob(word));
    }
  }

  /** Of a name that has no address here: one that no rule names is refused where the list names hosts alone. */
  allowsUnresolved(host: string): boolean {
    return this.#addresses.length > 0 || this.#isNamed(host);
  }

  allows(host: string, address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    // `::ffff:1.2.3.4` is judged as what it is
    const parsed = ipaddr.process(inHex(address));
    return this.#addresses.some((rule) => rule(parsed)) || this.#isNamed(host);
  }

  #isNamed(host: string): boolean {
    const name = host.toLowerCase().replace(/\.$/, '');
    return this.#names.some((pattern) => pattern.test(name));
  }
}
