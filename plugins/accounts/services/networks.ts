import { isIPv6 } from 'node:net';

/** Whom an address stands for: itself, or with IPv6 the /64 that one customer has for all of their addresses. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const first = head ? head.split(':') : [];
  const last = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}

/** This computer; also where there is no address, as with a Unix socket. */
export const isLoopback = (address: string): boolean =>
  address === '' || address === '::1' || /^(::ffff:)?127\./.test(address);
