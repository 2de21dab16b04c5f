/** An entry of a tar that is made here. */
export interface TarEntry {
  readonly name: string;
  readonly content: Buffer | string;
  /** Default 0644. */
  readonly mode?: number;
}

const block = 512;

function headerOf(name: string, size: number, mode: number, type: string): Buffer {
  const header = Buffer.alloc(block);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  header.write(name, 0, 100);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write(`        ${type}`, 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

const padding = (size: number) => Buffer.alloc((block - (size % block)) % block);

/** The pax line that names an entry; its length counts itself. */
function paxPath(name: string): Buffer {
  const rest = Buffer.byteLength(` path=${name}\n`);
  let length = rest + 1;
  while (rest + String(length).length !== length) length = rest + String(length).length;
  return Buffer.from(`${length} path=${name}\n`);
}

/**
 * A tar with these entries, the same bytes for the same entries. `end: false` leaves the closing blocks out, for those that
 * are concatenated.
 */
export function tarOf(entries: readonly TarEntry[], { end = true }: { readonly end?: boolean } = {}): Buffer {
  const parts: Buffer[] = [];
  for (const { name, content, mode = 0o644 } of entries) {
    const bytes = Buffer.from(content as string);
    if (Buffer.byteLength(name) > 100) {
      const path = paxPath(name);
      parts.push(headerOf('PaxHeader', path.length, 0o644, 'x'), path, padding(path.length));
    }
    parts.push(headerOf(name, bytes.length, mode, '0'), bytes, padding(bytes.length));
  }
  if (end) parts.push(Buffer.alloc(2 * block));
  return Buffer.concat(parts);
}

/** What stands before and behind the content of the only entry of a tar, which streams. */
export const tarFrame = (name: string, size: number): { readonly head: Buffer; readonly end: Buffer } => ({
  head: headerOf(name, size, 0o644, '0'),
  end: Buffer.concat([padding(size), Buffer.alloc(2 * block)]),
});
