/** git's packet lines (gitprotocol-common, pkt-line): four hexadecimal digits of length, then the data. */

export const flush = Buffer.from('0000');
const specials: Readonly<Record<string, 'flush' | 'delim' | 'end'>> = {
  '0000': 'flush',
  '0001': 'delim',
  '0002': 'end',
};

export function packet(text: string): Buffer {
  const data = Buffer.from(text);
  return Buffer.concat([Buffer.from((data.length + 4).toString(16).padStart(4, '0')), data]);
}

/** All packets of a body that is wholly here; undefined when it is none. */
export function parsePackets(body: Buffer): (string | { special: 'flush' | 'delim' | 'end' })[] | undefined {
  const packets: (string | { special: 'flush' | 'delim' | 'end' })[] = [];
  for (let at = 0; at < body.length;) {
    const digits = body.toString('latin1', at, at + 4);
    const special = specials[digits];
    if (special) {
      packets.push({ special });
      at += 4;
      continue;
    }
    const length = /^[0-9a-f]{4}$/i.test(digits) ? parseInt(digits, 16) : 0;
    if (length < 4 || at + length > body.length) return undefined;
    packets.push(body.toString('utf8', at + 4, at + length).replace(/\n$/, ''));
    at += length;
  }
  return packets;
}
