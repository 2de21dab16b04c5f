/** Hosts that `no_proxy` of the environment excludes, as curl and Go read it. */
import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

const contains = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Is it this machine, which no proxy of the environment leads to? */
export function isLoopback({ hostname }: URL): boolean {
  const host = withoutBrackets(hostname);
  return host === 'localhost' || (isIP(host) !== 0 && contains(loopback, host));
}

/**
 * Does one word of the list stand for the address? `example.com` and `.example.com` for all hosts below it, `*` for all,
 * `10.0.0.0/8` and `fd00::/8` for the addresses of a network; each, but networks, with a port or without.
 */
export function isExcluded(word: string, url: URL): boolean {
  if (word === '*') return true;
  const host = withoutBrackets(url.hostname);
  const network = networkOf(word);
  if (network) return isIP(host) !== 0 && contains(network, host);
  const { name, port } = split(word);
  if (port && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  if (isIP(name)) return isIP(host) !== 0 && contains(single(name), host);
  const suffix = name.replace(/^\*?\./, '');
  return host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`));
}

/** An IPv6 address has a port only behind brackets. */
function split(word: string): { readonly name: string; readonly port: string } {
  const [, name = word, port = ''] = isIP(word) ? [] : (/^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(word) ?? []);
  return { name: withoutBrackets(name), port };
}

const kindOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function single(address: string): BlockList {
  const list = new BlockList();
  list.addAddress(address, kindOf(address));
  return list;
}

/** Undefined for what is no network. */
function networkOf(word: string): BlockList | undefined {
  const [, given = '', digits = ''] = /^(.*)\/(\d{1,3})$/.exec(word) ?? [];
  const address = withoutBrackets(given);
  const prefix = Number(digits);
  if (!isIP(address) || prefix > (isIP(address) === 6 ? 128 : 32)) return undefined;
  const list = new BlockList();
  list.addSubnet(address, prefix, kindOf(address));
  return list;
}
