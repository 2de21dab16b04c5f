import { BadRequest } from '@mortise/plugin-sdk';
import { tarEntries, unpackAny, type PackageStore, type Packing, type ReceivedBlob } from '@mortise/packages/api';

/** What a package says of itself. */
export interface ArchInfo {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly base: string;
  readonly description: string;
  /** http or https; else empty. */
  readonly url: string;
  readonly packager: string;
  readonly buildDate: number;
  readonly installedSize: number;
  /** Values of the keys that may stand several times, by the key. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Paths of what it installs, without folders. */
  readonly files: readonly string[];
}

interface ReadArchPackage {
  readonly info: ArchInfo;
  /** Behind `.pkg.tar.`. */
  readonly suffix: string;
}

/** LIM-13. */
const maxFiles = 100_000;
const maxFileBytes = 16 * 1024 * 1024;
const maxInfo = 1024 * 1024;
const maxLines = 10_000;
const suffixes: Readonly<Record<Packing, string>> = { gzip: 'gz', xz: 'xz', zstd: 'zst', bzip2: 'bz2' };
const packings = ['zstd', 'xz', 'gzip'] as const;
const repeated = [
  'license',
  'group',
  'depend',
  'optdepend',
  'makedepend',
  'checkdepend',
  'provides',
  'replaces',
  'conflict',
  'backup',
  'xdata',
] as const;

const broken = (what: string) => BadRequest(`The package cannot be read: ${what}.`);
const tooMany = () => BadRequest('package contains too many file entries');

/** What a package may unpack to: beyond, it is packed more tightly than anything that is meant to be installed. */
const maxUnpacked = (size: number) => Math.min(16 * 1024 ** 3, 256 * 1024 ** 2 + 200 * size);

export async function readArchPackage(store: PackageStore, blob: ReceivedBlob): Promise<ReadArchPackage> {
  let packing: Packing | undefined;
  const maxBytes = maxUnpacked(blob.size);
  const open = (range?: { start: number; end?: number }) => store.open(blob, range);
  const tar = await unpackAny(open, packings, maxBytes, (found) => (packing = found));
  let text: string | undefined;
  const files: string[] = [];
  let bytes = 0;
  for await (const entry of tarEntries(tar, { maxBytes, maxEntries: 2 * maxFiles })) {
    const name = entry.name.replace(/^(?:\.\/)+/, '');
    if (entry.kind === 'file' && name === '.PKGINFO') {
      text = (await entry.content(maxInfo)).toString('utf8');
    } else if ((entry.kind === 'file' || entry.kind === 'link') && !/^\.[^/]*$/.test(name)) {
      if (/[\0-\x1f\x7f]/.test(name)) throw broken('a file has a name with control characters');
      bytes += Buffer.byteLength(name);
      if (files.push(name) > maxFiles || bytes > maxFileBytes) throw tooMany();
    }
  }
  if (text === undefined) throw broken('it has no .PKGINFO');
  return { info: { ...parseInfo(text), files: files.sort() }, suffix: suffixes[packing!] };
}

const namePattern = /^[a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*$/;
const versionPattern = /^(?:\d{1,9}:)?[\w.+~]+(?:-[-\w.+~]+)?$/;
const architecturePattern = /^\w{1,32}$/;

function parseInfo(text: string): Omit<ArchInfo, 'files'> {
  const values = new Map<string, string[]>();
  const lines = text.split('\n', maxLines + 1);
  if (lines.length > maxLines) throw broken('its .PKGINFO has too many lines');
  for (const line of lines) {
    if (line.startsWith('#')) continue;
    const at = line.indexOf('=');
    const key = line.slice(0, Math.max(0, at)).trim();
    const value = line
      .slice(at + 1)
      .replace(/[\0-\x1f\x7f]+/g, ' ')
      .trim();
    if (!value || !/^\w+$/.test(key)) continue;
    const before = values.get(key);
    if (before) before.push(value);
    else values.set(key, [value]);
  }
  const one = (key: string) => values.get(key)?.at(-1) ?? '';
  const number = (key: string) => {
    if (!/^\d{0,15}$/.test(one(key))) throw BadRequest(`${key} is no number`);
    return Number(one(key));
  };
  const [name, version, architecture] = [one('pkgname'), one('pkgver'), one('arch')];
  if (!namePattern.test(name) || name.length > 200) throw BadRequest('package name is invalid');
  if (!versionPattern.test(version) || version.length > 100) throw BadRequest('package version is invalid');
  if (!architecturePattern.test(architecture)) throw BadRequest('package architecture is invalid');
  return {
    name,
    version,
    architecture,
    base: one('pkgbase'),
    description: one('pkgdesc'),
    url: /^https?:\/\/\S+$/i.test(one('url')) ? one('url') : '',
    packager: one('packager'),
    buildDate: number('builddate'),
    installedSize: number('size'),
    lists: Object.fromEntries(repeated.map((key) => [key, values.get(key) ?? []])),
  };
}
