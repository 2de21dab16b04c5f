import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Rule = (host: string, address: Address) => boolean;

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

function ruleOf(word: string): Rule {
  switch (word) {
    case '*':
      return () => true;
    case 'loopback':
      return (_host, address) => loopback(address);
    case 'private':
      return (_host, address) => privateNetwork(address);
    case 'external':
      return (_host, address) => external(address);
    default:
  }
  if (/^[\da-f.:]+\/\d+$/i.test(word)) {
    const [network, bits] = ipaddr.parseCIDR(word);
    return (_host, address) => address.kind() === network.kind() && address.match(network as never, bits);
  }
  if (ipaddr.isValid(word)) {
    const wanted = ipaddr.process(word).toString();
    return (_host, address) => address.toString() === wanted;
  }
  const pattern = glob(word);
  return (host) => pattern.test(host);
}

const isName = (word: string): boolean =>
  !['*', 'loopback', 'private', 'external'].includes(word) && !/^[\da-f.:]+\/\d+$/i.test(word) && !ipaddr.isValid(word);

/** IPv6 without dots: ipaddr.js takes `::1.2.3.4`, an address of its own, for `::ffff:1.2.3.4`. */
const inHex = (address: string): string =>
  address.includes(':') && address.includes('.') && URL.canParse(`http://[${address}]/`)
    ? new URL(`http://[${address}]/`).hostname.slice(1, -1)
    : address;

const normalized = (host: string): string => host.toLowerCase().replace(/\.$/, '');

/**
 * Where requests may go (GEN-14). A host is judged with each address that it resolves to, at the moment of connecting,
 * so that a name that changes its mind between check and use gains nothing.
 */
export class AllowedHosts {
  private readonly rules: readonly Rule[];
  private readonly names: readonly RegExp[];

  constructor(list: string) {
    const words = list
      .split(',')
      .map((word) => word.trim().toLowerCase())
      .filter(Boolean);
    this.rules = (words.length > 0 ? words : ['external']).map(ruleOf);
    this.names = words.filter(isName).map(glob);
  }

  /** Of a name that has no address here: one that no rule names is refused where the list names hosts alone. */
  allowsUnresolved(host: string): boolean {
    const name = normalized(host);
    return this.names.length < this.rules.length || this.names.some((pattern) => pattern.test(name));
  }

  allows(host: string, address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    // `::ffff:1.2.3.4` is judged as what it is
    const parsed = ipaddr.process(inHex(address));
    const name = normalized(host);
    return this.rules.some((rule) => rule(name, parsed));
  }
}
