import { createWriteStream } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';

const [max16, max32] = [0xffff, 0xffff_ffff];
/** Bytes of the list of files: some millions of them. */
const maxDirectory = 512 * 1_048_576;

/** Unpacks an archive of artifacts below a folder. Names that lead out of it are refused. Gives how many files it had. */
export async function unzip(path: string, folder: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { count, length, start } = await ending(file, size);
    if (start + length > size || length > maxDirectory) throw new Error('the archive is too large or damaged');
    const directory = await read(file, start, length);
    let at = 0;
    for (let i = 0; i < count; i++) at += await entry(file, directory.subarray(at), folder);
    return count;
  } finally {
    await file.close();
  }
}

/** Where the list of files lies: a second record has what is too large for the first (PKWARE APPNOTE 6.3, 4.3.14). */
async function ending(file: FileHandle, size: number): Promise<{ count: number; length: number; start: number }> {
  const from = Math.max(size - 65_557, 0);
  const tail = await read(file, from, Math.min(size, 65_557));
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || tail.length < end + 22) throw new Error('the artifact is no zip archive');
  const known = {
    count: tail.readUInt16LE(end + 10),
    length: tail.readUInt32LE(end + 12),
    start: tail.readUInt32LE(end + 16),
  };
  if (known.count < max16 && known.length < max32 && known.start < max32) return known;
  const locator = await read(file, Math.max(from + end - 20, 0), 20);
  if (locator.length < 20 || locator.readUInt32LE(0) !== 0x07064b50) return known;
  const record = await read(file, Number(locator.readBigUInt64LE(8)), 56);
  if (record.length < 56 || record.readUInt32LE(0) !== 0x06064b50) throw new Error('the archive is damaged');
  const number = (at: number) => Number(record.readBigUInt64LE(at));
  return { count: number(32), length: number(40), start: number(48) };
}

/** Packed size and place of a file; what does not fit in 32 bits stands behind its name. */
function placeOf(header: Buffer): { packed: number; offset: number } {
  const [nameLength, extraLength] = [header.readUInt16LE(28), header.readUInt16LE(30)];
  const extra = header.subarray(46 + nameLength, 46 + nameLength + extraLength);
  let large = Buffer.alloc(0);
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1) large = Buffer.from(extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2)));
  const [, packed = 0, offset = 0] = [24, 20, 42].map((field) => {
    const value = header.readUInt32LE(field);
    if (value < max32 || large.length < 8) return value;
    const whole = Number(large.readBigUInt64LE(0));
    large = large.subarray(8);
    return whole;
  });
  return { packed, offset };
}

async function entry(file: FileHandle, header: Buffer, folder: string): Promise<number> {
  if (header.length < 46 || header.readUInt32LE(0) !== 0x02014b50) throw new Error('the archive is damaged');
  const [method, nameLength] = [header.readUInt16LE(10), header.readUInt16LE(28)];
  const { packed, offset } = placeOf(header);
  const name = header.toString('utf8', 46, 46 + nameLength);
  const target = resolve(folder, name);
  if (!`${target}${sep}`.startsWith(`${resolve(folder)}${sep}`) || name.includes('\\'))
    throw new Error(`the archive names "${name}", which leads out of the folder`);
  if (name.endsWith('/')) await mkdir(target, { recursive: true });
  else {
    await mkdir(dirname(target), { recursive: true });
    const local = await read(file, offset, 30);
    const start = offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const output = createWriteStream(target);
    if (packed === 0) await new Promise<void>((done) => output.end(done));
    else {
      const input = file.createReadStream({ start, end: start + packed - 1, autoClose: false });
      if (method === 8) await pipeline(input, createInflateRaw(), output);
      else if (method === 0) await pipeline(input, output);
      else throw new Error(`"${name}" is packed in an unknown way`);
    }
  }
  return 46 + nameLength + header.readUInt16LE(30) + header.readUInt16LE(32);
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}
