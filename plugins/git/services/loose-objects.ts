/** Loose objects without a process: one zlib file each (gitrepository-layout, objects/[0-9a-f][0-9a-f]). */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate as deflateCallback, inflate as inflateCallback } from 'node:zlib';
import type { ObjectFormat, ObjectType } from '../contract/names.js';
import { objectId } from './objects.js';

const deflate = promisify(deflateCallback) as (data: Buffer, options: { level: number }) => Promise<Buffer>;
const inflate = promisify(inflateCallback) as (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Compressed bytes up to which a loose object is read here; larger ones go through git, which streams. */
const maxBytes = 1024 * 1024;

export async function readLoose(
  objectsFolder: string,
  oid: string,
): Promise<{ type: ObjectType; content: Buffer } | undefined> {
  const file = join(objectsFolder, oid.slice(0, 2), oid.slice(2));
  try {
    if ((await stat(file)).size > maxBytes) return undefined;
    const data = await inflate(await readFile(file), { maxOutputLength: 16 * maxBytes });
    const end = data.indexOf(0);
    const match = /^(commit|tree|blob|tag) \d+$/.exec(data.toString('latin1', 0, end));
    return match ? { type: match[1] as ObjectType, content: data.subarray(end + 1) } : undefined;
  } catch {
    return undefined; // packed, missing, or odd: git decides
  }
}

/** Writes the object unless it lies there already; gives its id. */
export async function writeLoose(
  objectsFolder: string,
  type: ObjectType,
  content: Buffer,
  format: ObjectFormat,
): Promise<string> {
  const oid = objectId(type, content, format);
  const folder = join(objectsFolder, oid.slice(0, 2));
  const file = join(folder, oid.slice(2));
  try {
    // as young as if it were new: nothing may lead to it, and its time to go may have come
    const now = new Date();
    await utimes(file, now, now);
    return oid;
  } catch {
    // not there yet
  }
  const data = await deflate(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]), { level: 1 });
  const temporary = join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`);
  const write = () => writeFile(temporary, data, { mode: 0o444, flag: 'wx' });
  await write().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true });
    await write();
  });
  await rename(temporary, file).catch(async (error: unknown) => {
    await unlink(temporary).catch(() => undefined);
    throw error;
  });
  return oid;
}
