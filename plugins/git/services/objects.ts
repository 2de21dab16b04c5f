/** Reads and writes git's object formats (gitformat: commit, tree, tag). */
import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import type { AnnotatedTag, Commit, Signature, TreeEntry } from '../api.js';
import type { ObjectFormat, ObjectType } from '../contract/names.js';
import { decodeObject } from './commit-text.js';

function readSignature(text: string): Omit<Signature, 'line'> {
  const match = /^(.*?)\s*<([^>]*)>(?:\s+(-?\d+)\s+([+-]\d{4}))?/s.exec(text);
  if (!match) return { name: text.trim(), email: '', time: 0, zone: '+0000' };
  return { name: match[1] ?? '', email: match[2] ?? '', time: Number(match[3] ?? 0) * 1000, zone: match[4] ?? '+0000' };
}

/** `Ada <ada@example.com> 1709287200 +0100` */
function parseSignature(text: string): Signature {
  const signature = readSignature(text);
  const isPlain = text === writeSignature(signature) || /[\n\0]/.test(text);
  return isPlain ? signature : { ...signature, line: text };
}

/** The line of another commit is kept to the letter, as long as nobody has changed what it says. */
export function formatSignature(signature: Signature): string {
  const { line, ...given } = signature;
  if (line === undefined) return writeSignature(given);
  const { name, email, time, zone } = readSignature(line);
  const isSame = name === given.name && email === given.email && Object.is(time, given.time) && zone === given.zone;
  return isSame ? line : writeSignature(given);
}

function writeSignature(signature: Omit<Signature, 'line'>): string {
  const clean = (text: string) => text.replace(/[<>\n\0]/g, '').trim();
  return `${clean(signature.name)} <${clean(signature.email)}> ${Math.floor(signature.time / 1000)} ${/^[+-]\d{4}$/.test(signature.zone) ? signature.zone : '+0000'}`;
}

interface Headers {
  readonly fields: ReadonlyMap<string, string[]>;
  readonly message: string;
  /** Content without the `gpgsig` field: what its signature covers. */
  readonly payload: string | undefined;
}

const parseHeaders = (content: Buffer): Headers => headersOf(decodeObject(content));

function headersOf(text: string): Headers {
  const end = text.startsWith('\n') ? 0 : text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const message = end < 0 ? '' : text.slice(end + (text.startsWith('\n') ? 1 : 2));
  const fields = new Map<string, string[]>();
  const kept: string[] = [];
  let last = '';
  for (const line of head.split('\n')) {
    if (line.startsWith(' ') && last) {
      const values = fields.get(last);
      if (values) values[values.length - 1] += `\n${line.slice(1)}`;
    } else {
      const space = line.indexOf(' ');
      last = space < 0 ? line : line.slice(0, space);
      const value = space < 0 ? '' : line.slice(space + 1);
      const values = fields.get(last);
      if (values) values.push(value);
      else fields.set(last, [value]);
    }
    if (last !== 'gpgsig' && last !== 'gpgsig-sha256') kept.push(line);
  }
  const signed = fields.has('gpgsig') || fields.has('gpgsig-sha256');
  return { fields, message, payload: signed ? `${kept.join('\n')}\n\n${message}` : undefined };
}

export function parseCommit(oid: string, content: Buffer): Commit {
  const { fields, message, payload } = parseHeaders(content);
  const signature = (fields.get('gpgsig') ?? fields.get('gpgsig-sha256'))?.[0];
  const author = parseSignature(fields.get('author')?.[0] ?? '');
  return {
    oid,
    tree: fields.get('tree')?.[0] ?? '',
    parents: fields.get('parent') ?? [],
    author,
    committer: parseSignature(fields.get('committer')?.[0] ?? ''),
    message,
    ...(signature === undefined
      ? {}
      : { signature: signature.endsWith('\n') ? signature : `${signature}\n`, payload, ...signedBytes(content) }),
  };
}

/** What the signature of a commit covers, where that is not UTF-8: read with a character for each byte. */
function signedBytes(content: Buffer): { payloadBytes?: Buffer } {
  const head = content.subarray(0, Math.max(0, content.indexOf('\n\n'))).toString('latin1');
  if (isUtf8(content) && !/^encoding /m.test(head)) return {};
  return { payloadBytes: Buffer.from(headersOf(content.toString('latin1')).payload ?? '', 'latin1') };
}

const signatureStart = /(?:^|\n)(-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----)/;

export function parseTag(oid: string, content: Buffer): AnnotatedTag {
  const { fields, message } = parseHeaders(content);
  const tagger = fields.get('tagger')?.[0];
  const at = signatureStart.exec(message);
  const cut = at ? at.index + (at[0].startsWith('\n') ? 1 : 0) : -1;
  const signature = cut < 0 ? undefined : message.slice(cut);
  const text = content.toString('utf8');
  return {
    oid,
    object: fields.get('object')?.[0] ?? '',
    type: (fields.get('type')?.[0] ?? 'commit') as ObjectType,
    name: fields.get('tag')?.[0] ?? '',
    ...(tagger === undefined ? {} : { tagger: parseSignature(tagger) }),
    message: cut < 0 ? message : message.slice(0, cut),
    ...(signature === undefined
      ? {}
      : {
          signature,
          payload: text.slice(0, text.length - signature.length),
          ...(isUtf8(content) ? {} : { payloadBytes: content.subarray(0, content.length - signature.length) }),
        }),
  };
}

/** Modes that git writes, one string for each; a damaged tree may hold any word as one. */
const modes = new Map<string, Pick<TreeEntry, 'mode' | 'type'>>(
  (['040000', '100644', '100755', '120000', '160000'] as const).map((mode) => [
    mode,
    { mode, type: mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob' },
  ]),
);

/** All entries, or the first of one name; what comes after a fault is left out. */
export function parseTree(content: Buffer, format: ObjectFormat, only?: string): TreeEntry[] {
  const width = format === 'sha256' ? 32 : 20;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space + 1);
    if (space < 0 || end < 0) break;
    const start = at;
    at = end + 1 + width;
    // A name in UTF-8 has as many bytes as UTF-16 units, or up to three times as many.
    if (only !== undefined && (end - space - 1 > 3 * only.length || end - space - 1 < only.length)) continue;
    const name = content.toString('utf8', space + 1, end);
    if (only !== undefined && name !== only) continue;
    const isExact = !name.includes('\ufffd') || isUtf8(content.subarray(space + 1, end));
    const mode = content.toString('latin1', start, space).padStart(6, '0');
    const known = modes.get(mode);
    entries.push({
      mode: known?.mode ?? mode,
      type: known?.type ?? 'blob',
      name,
      oid: content.toString('hex', end + 1, end + 1 + width),
      ...(isExact ? {} : { nameBytes: Buffer.from(content.subarray(space + 1, end)) }),
    });
    if (only !== undefined) break;
  }
  return entries;
}

const slash = Buffer.from('/');

/** Entries in git's order (folders sort as if their name ended in a slash) as the bytes of a tree. */
export function formatTree(entries: Iterable<TreeEntry>): Buffer {
  const keyed = [...entries].map((entry) => {
    const name = entry.nameBytes ?? Buffer.from(entry.name);
    return { entry, name, key: entry.type === 'tree' ? Buffer.concat([name, slash]) : name };
  });
  keyed.sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat(
    keyed.flatMap(({ entry, name }) => [
      Buffer.from(`${entry.mode.replace(/^0+/, '')} `),
      name,
      Buffer.of(0),
      Buffer.from(entry.oid, 'hex'),
    ]),
  );
}

export function objectId(type: ObjectType, content: Buffer, format: ObjectFormat): string {
  return createHash(format).update(`${type} ${content.length}\0`).update(content).digest('hex');
}
