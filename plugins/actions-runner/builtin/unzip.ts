import { createWriteStream } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';

/** Unpacks an archive of artifacts below a folder. Names that lead out of it, and archives beyond 4 GiB, are refused. */
export async function unzip(path: string, folder: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = await read(file, Math.max(size - 65_557, 0), Math.min(size, 65_557));
    const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
    if (end < 0 || tail.length < end + 22) throw new Error('the artifact is no zip archive');
    const [count, length, start] = [
      tail.readUInt16LE(end + 10),
      tail.readUInt32LE(end + 12),
      tail.readUInt32LE(end + 16),
    ];
    if (start === 0xffff_ffff || start + length > size) throw new Error('the archive is too large or damaged');
    const directory = await read(file, start, length);
    let at = 0;
    for (let i = 0; i < count; i++) at += await entry(file, directory.subarray(at), folder);
    return count;
  } finally {
    await file.close();
  }
}

async function entry(file: FileHandle, header: Buffer, folder: string): Promise<number> {
  if (header.length < 46 || header.readUInt32LE(0) !== 0x02014b50) throw new Error('the archive is damaged');
  const [method, packed, nameLength] = [header.readUInt16LE(10), header.readUInt32LE(20), header.readUInt16LE(28)];
  const offset = header.readUInt32LE(42);
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
