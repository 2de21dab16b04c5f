import { isIPv6 } from 'node:net';

/**
 * Whom an address stands for: itself, or with IPv6 the /64 that one customer has for all of their addresses. An IPv4
 * address is the same written as IPv6 (`::ffff:203.0.113.7`). What is no address stands for itself.
 */
export function networkOf(address: string): string {
  const plain = address.split('%', 1)[0]!;
  if (!isIPv6(plain)) return plain;
  // spelled in one way: lower case, compressed at the longest place, without dots
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const first = head ? head.split(':') : [];
  const last = tail ? tail.split(':') : [];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  const groups = [...first, ...zeros, ...last];
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff')
    return groups
      .slice(6)
      .map((group) => parseInt(group, 16))
      .flatMap((value) => [value >> 8, value & 0xff])
      .join('.');
  return groups.slice(0, 4).join(':');
}
