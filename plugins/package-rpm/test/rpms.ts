import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

type Entry = readonly [tag: number, kind: number, values: readonly (string | number)[] | Buffer];

const words = (values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [n, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, n * 4);
  return bytes;
};

function header(entries: readonly Entry[], region: number): Buffer {
  const index: number[][] = [];
  const parts: Buffer[] = [];
  let at = 0;
  for (const [tag, kind, values] of [...entries].sort((a, b) => a[0] - b[0])) {
    const align = kind === 4 ? 4 : kind === 3 ? 2 : 1;
    const padding = Buffer.alloc((align - (at % align)) % align);
    const bytes = Buffer.isBuffer(values)
      ? values
      : Buffer.concat(
          values.map((value) => {
            if (kind === 4) return words([value as number]);
            const short = Buffer.alloc(2);
            if (kind === 3) short.writeUInt16BE(value as number);
            return kind === 3 ? short : Buffer.from(`${value}\0`);
          }),
        );
    at += padding.length;
    index.push([tag, kind, at, values.length]);
    parts.push(padding, bytes);
    at += bytes.length;
  }
  const count = entries.length + 1;
  index.unshift([region, 7, at, 16]);
  parts.push(words([region, 7, -16 * count, 16]));
  return Buffer.concat([words([0x8eade801, 0, count, at + 16, ...index.flat()]), ...parts]);
}

export interface RpmFields {
  readonly name?: string;
  readonly version?: string;
  readonly release?: string;
  readonly arch?: string;
  readonly epoch?: number;
  readonly summary?: string;
}

/** A package as rpmbuild makes it, with a folder, a program and a log, and an empty payload. */
export function rpm(fields: RpmFields): Buffer {
  const { name = 'tool', version = '1.0', release = '1', arch = 'x86_64', epoch, summary = 'a tool & more' } = fields;
  const main = header(
    [
      [1000, 6, [name]],
      [1001, 6, [version]],
      [1002, 6, [release]],
      ...(epoch === undefined ? [] : [[1003, 4, [epoch]] as const]),
      [1004, 9, [summary]],
      [1005, 9, ['a tool made for a test']],
      [1006, 4, [1709287200]],
      [1009, 4, [4096]],
      [1014, 6, ['MIT']],
      [1022, 6, [arch]],
      [1047, 8, [name]],
      [1112, 4, [8]],
      [1113, 8, [`${version}-${release}`]],
      [1049, 8, ['libc.so.6', 'python']],
      [1048, 4, [0, 12]],
      [1050, 8, ['', '1:3.9-2']],
      [1030, 3, [0o100755, 0o040755, 0o100644]],
      [1037, 4, [0, 0, 64]],
      [1116, 4, [0, 1, 1]],
      [1117, 8, ['tool', 'tool.d', 'tool.log']],
      [1118, 8, ['/usr/bin/', '/var/']],
      [1080, 4, [1709287200]],
      [1081, 8, ['Ada <ada@example.com> - 1.0-1']],
      [1082, 8, ['- first']],
    ],
    63,
  );
  const payload = gzipSync('070701TRAILER!!!');
  const sums: Entry[] = [
    [269, 6, [createHash('sha1').update(main).digest('hex')]],
    [1000, 4, [main.length + payload.length]],
    [1004, 7, createHash('md5').update(main).update(payload).digest()],
    [1007, 4, [124]],
  ];
  const signature = header(sums, 62);
  const lead = Buffer.alloc(96);
  lead.writeUInt32BE(0xedabeedb);
  return Buffer.concat([lead, signature, Buffer.alloc((8 - (signature.length % 8)) % 8), main, payload]);
}

/** A package whose header says that it has so many entries and bytes. */
export function lying(count: number, size: number): Buffer {
  const bytes = Buffer.concat([rpm({}), Buffer.alloc(1024)]);
  words([count, size]).copy(bytes, 96 + 8);
  return bytes;
}
