import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { inflateRawSync } from 'node:zlib';
import { BadRequest } from '@mortise/plugin-sdk';
import { tarEntries, type RandomAccess } from '@mortise/packages/api';

/** What a package says of itself. */
export interface ApkInfo {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly description: string;
  /** http or https; else empty. */
  readonly homepage: string;
  readonly license: string;
  readonly maintainer: string;
  readonly origin: string;
  readonly commit: string;
  readonly installIf: string;
  readonly installedSize: number;
  readonly buildDate: number;
  readonly priority: number;
  readonly provides: readonly string[];
  readonly dependencies: readonly string[];
  /** Of the packed control member, as apk compares it. */
  readonly checksum: string;
}

/** Signatures and control come first; of what follows nothing is needed. */
const maxRead = 16 * 1024 * 1024;
const maxUnpacked = 16 * 1024 * 1024;
const maxInfo = 4 * 1024 * 1024;
const maxMembers = 8;
const maxLines = 10_000;

const broken = (what: string) => BadRequest(`The package cannot be read: ${what}.`);

interface Member {
  readonly content: Buffer;
  readonly end: number;
}

/** The gzip member that begins there; its borders matter, so it is unpacked by hand. */
function memberAt(bytes: Buffer, start: number): Member {
  if (bytes.length < start + 18 || bytes.readUInt16BE(start) !== 0x1f8b || bytes[start + 2] !== 8)
    throw broken('it is not packed by gzip');
  const flags = bytes[start + 3]!;
  let at = start + 10;
  const skipText = () => {
    const end = bytes.indexOf(0, at);
    if (end < 0) throw broken('a header of gzip does not end');
    at = end + 1;
  };
  if (flags & 4) at += at + 2 <= bytes.length ? 2 + bytes.readUInt16LE(at) : 2;
  if (flags & 8) skipText();
  if (flags & 16) skipText();
  if (flags & 2) at += 2;
  if (at >= bytes.length) throw broken('it ends too early');
  try {
    const options = { info: true, maxOutputLength: maxUnpacked } as const;
    const { buffer, engine } = inflateRawSync(bytes.subarray(at), options) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return { content: buffer, end: at + engine.bytesWritten + 8 };
  } catch (error) {
    throw broken((error as Error).message);
  }
}

async function infoIn(member: Buffer): Promise<Buffer | undefined> {
  for await (const entry of tarEntries(Readable.from([member])))
    if (entry.kind === 'file' && entry.name.replace(/^\.\//, '') === '.PKGINFO') return entry.content(maxInfo);
  return undefined;
}

/** What builders say of the data, which apk checks when it installs. */
const dataHash = /^datahash[ \t]*=[ \t]*([0-9a-f]{64})[ \t]*$/im;

async function checkData(info: string, data: () => Promise<Readable>): Promise<void> {
  const declaredHash = dataHash.exec(info)?.[1]?.toLowerCase();
  if (!declaredHash) return;
  const hash = createHash('sha256');
  for await (const chunk of (await data()) as AsyncIterable<Buffer>) hash.update(chunk);
  if (hash.digest('hex') !== declaredHash) throw broken('its data is not what its .PKGINFO tells');
}

/**
 * The control part of an .apk, which is several gzip members in a row: signatures, control, data. `from` gives the bytes
 * behind a place.
 */
export async function readApk(source: RandomAccess, from: (start: number) => Promise<Readable>): Promise<ApkInfo> {
  const bytes = await source.read(0, Math.min(source.size, maxRead));
  for (let start = 0, count = 0; count < maxMembers && start < bytes.length; count++) {
    const { content, end } = memberAt(bytes, start);
    const info = content.length > 0 ? await infoIn(content) : undefined;
    if (info) {
      const sha1 = createHash('sha1').update(bytes.subarray(start, end)).digest('base64');
      const text = info.toString('utf8');
      const parsed = parseInfo(text, `Q1${sha1}`);
      await checkData(text, async () => (end < source.size ? from(end) : Readable.from([])));
      return parsed;
    }
    start = end;
  }
  throw broken('it has no .PKGINFO');
}

const namePattern = /^[A-Za-z0-9_.][A-Za-z0-9_.+-]*$/;
const versionPattern = /^[A-Za-z0-9][A-Za-z0-9_.+~-]*$/;
const architecturePattern = /^[A-Za-z0-9_-]{1,32}$/;

function parseInfo(text: string, checksum: string): ApkInfo {
  const values = new Map<string, string[]>();
  const lines = text.split('\n', maxLines + 1);
  if (lines.length > maxLines) throw broken('its .PKGINFO has too many lines');
  for (const line of lines) {
    const at = line.indexOf('=');
    const key = line.slice(0, Math.max(0, at)).trim();
    const value = line
      .slice(at + 1)
      .trim()
      .replace(/[\0-\x1f\x7f]+/g, ' ');
    if (!value || !/^[\w-]+$/.test(key)) continue;
    const before = values.get(key);
    if (before) before.push(value);
    else values.set(key, [value]);
  }
  const one = (key: string) => values.get(key)?.at(-1) ?? '';
  const many = (key: string) => values.get(key) ?? [];
  const number = (key: string) => (/^\d{1,15}$/.test(one(key)) ? Number(one(key)) : 0);
  const [name, version, architecture] = [one('pkgname'), one('pkgver'), one('arch')];
  if (!namePattern.test(name) || name.length > 200) throw BadRequest('package name is invalid');
  if (!versionPattern.test(version) || version.length > 100) throw BadRequest('package version is invalid');
  if (!architecturePattern.test(architecture)) throw BadRequest('package architecture is invalid');
  return {
    name,
    version,
    architecture,
    checksum,
    description: one('pkgdesc'),
    homepage: /^https?:\/\/\S+$/i.test(one('url')) ? one('url') : '',
    license: one('license'),
    maintainer: one('maintainer') || one('packager'),
    origin: one('origin'),
    commit: one('commit'),
    installIf: one('install_if'),
    installedSize: number('size'),
    buildDate: number('builddate'),
    priority: number('provider_priority'),
    provides: many('provides'),
    dependencies: many('depend'),
  };
}
