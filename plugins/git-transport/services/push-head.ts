/** The beginning of a push: commands and options, read before git reads them. */
import type { Readable } from 'node:stream';
import { BadRequest } from '@mortise/plugin-sdk';
import { peek, putBack } from './streams.js';

export interface PushHead {
  /** Names of the references that are to change; undefined where there are too many to look at. */
  readonly refs: readonly string[] | undefined;
  readonly isAtomic: boolean;
  readonly options: readonly string[];
  /** The client wants nothing: all is up to date, or a dry run. */
  readonly isNothing: boolean;
}
const unknownHead: PushHead = { refs: undefined, isAtomic: false, options: [], isNothing: false };

/** Commands and options come before the pack; heads longer than this are left to git. */
const maxHeadBytes = 256 * 1024;

/** What a push wants; the body still holds it. */
export async function readHead(source: Readable): Promise<{ head: PushHead; body: Readable }> {
  let head: PushHead | undefined;
  const read = await peek(source, (bytes) => (head = headOf(bytes)) !== undefined || bytes.length > maxHeadBytes);
  const isNothing = read.ended && read.head.length === 0;
  return { head: head ?? { ...unknownHead, isNothing }, body: putBack(source, read) };
}

/** Undefined: the end of it has not come yet. */
function headOf(bytes: Buffer): PushHead | undefined {
  const sections: string[][] = [[]];
  for (let at = 0; at + 4 <= bytes.length;) {
    const digits = bytes.toString('latin1', at, at + 4);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? parseInt(digits, 16) : 1;
    if (length > 0 && length < 4) return unknownHead;
    if (length > 0) {
      if (at + length > bytes.length) return undefined;
      sections.at(-1)?.push(bytes.toString('utf8', at + 4, at + length).replace(/\n$/, ''));
      at += length;
      continue;
    }
    at += 4;
    const [commands = [], options] = sections;
    // what a shallow clone lacks comes before the first command
    const first = commands.find((line) => line.includes('\0'));
    const able = first?.split('\0')[1]?.split(' ') ?? [];
    if (able.includes('push-options') && !options) sections.push([]);
    else {
      const refs = commands.map((line) => (line.split('\0')[0] ?? '').split(' ').slice(2).join(' '));
      return { refs, isAtomic: able.includes('atomic'), options: options ?? [], isNothing: commands.length === 0 };
    }
  }
  return undefined;
}

/** `name=value`, or `name` alone, which is true. */
export function parsePushOptions(options: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    options.map((option) => option.split(/=(.*)/s)).map(([name = '', value = 'true']) => [name.trim(), value]),
  );
}

export function flag(options: ReadonlyMap<string, string>, name: string): boolean | undefined {
  const value = options.get(name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (['', 'true', '1', 'yes', 'on', 't'].includes(value)) return true;
  if (['false', '0', 'no', 'off', 'f'].includes(value)) return false;
  throw BadRequest(`The push option ${name} must be true or false.`);
}
