import { Readable } from 'node:stream';
import { BadRequest, parseJsonObject } from '@mortise/plugin-sdk';
import { packingOf, tarEntries, unpack, zipEntries, type PackageStore, type ReceivedBlob } from '@mortise/packages/api';

/** What repodata says of a package, in the words of its index.json. */
export interface CondaIndex {
  readonly name: string;
  readonly version: string;
  readonly build: string;
  readonly build_number: number;
  readonly subdir: string;
  readonly [field: string]: unknown;
}

interface CondaInfo {
  readonly index: CondaIndex;
  readonly summary: string;
  readonly description: string;
  readonly license: string;
  /** http or https; else empty. */
  readonly homepage: string;
}

export type Container = '.conda' | '.tar.bz2';

const maxJson = 1024 * 1024;
const maxPackedInfo = 64 * 1024 * 1024;
const maxUnpacked = 256 * 1024 * 1024;
const maxList = 2000;
const maxWord = 500;
const maxText = 20_000;

const broken = (what: string) => BadRequest(`The package cannot be read: ${what}.`);

/** The file name decides the container format; `info/index.json` and `info/about.json` are read. */
export async function readConda(store: PackageStore, blob: ReceivedBlob, container: Container): Promise<CondaInfo> {
  const tar = container === '.conda' ? await innerTar(store, blob) : await outerTar(store, blob);
  let index: CondaIndex | undefined;
  let about: Readonly<Record<string, unknown>> | undefined;
  for await (const entry of tarEntries(tar, { maxBytes: maxUnpacked })) {
    const name = entry.name.replace(/^(?:\.\/)+/, '');
    if (entry.kind === 'file' && name === 'info/index.json') index = parseIndex(await entry.content(maxJson));
    else if (entry.kind === 'file' && name === 'info/about.json') about = readJson(await entry.content(maxJson), name);
    // what describes a package stands before what it installs
    if (index && (about || !name.startsWith('info'))) break;
  }
  if (!index) throw broken('it has no info/index.json');
  const text = (value: unknown, max = maxText) => (typeof value === 'string' ? value.trim().slice(0, max) : '');
  const homepage = text(about?.home, maxWord);
  return {
    index,
    summary: text(about?.summary),
    description: text(about?.description),
    license: text(about?.license ?? index.license, maxWord),
    homepage: /^https?:\/\/\S+$/i.test(homepage) ? homepage : '',
  };
}

/** A .conda is a zip with a tar for what describes the package. */
async function innerTar(store: PackageStore, blob: ReceivedBlob): Promise<Readable> {
  const entries = await zipEntries(store.random(blob), { maxEntries: 100 });
  const inner = entries.find(({ name }) => /^info-[^/]+\.tar\.zst$/.test(name));
  if (!inner) throw broken('it has no info archive');
  const packed = await inner.content(maxPackedInfo);
  if (packingOf(packed) !== 'zstd') throw broken('its info archive is packed in an unknown way');
  return unpack(Readable.from([packed], { objectMode: false }), 'zstd', maxUnpacked);
}

async function outerTar(store: PackageStore, blob: ReceivedBlob): Promise<Readable> {
  const start = blob.size < 3 ? Buffer.alloc(0) : await store.random(blob).read(0, 3);
  if (packingOf(start) !== 'bzip2') throw broken('it is not packed by bzip2');
  return unpack(await store.open(blob), 'bzip2', maxUnpacked);
}

function readJson(bytes: Buffer, file: string): Readonly<Record<string, unknown>> {
  const value = parseJsonObject(bytes);
  if (!value) throw broken(`its ${file} is no JSON object`);
  return value;
}

const namePattern = /^[a-z0-9_][a-z0-9_.-]*$/;
const versionPattern = /^[A-Za-z0-9_.+!~*]+$/;
const buildPattern = /^[A-Za-z0-9_.+]+$/;
const subdirPattern = /^[a-z0-9]+(?:-[a-z0-9_]+)?$/;
/** Older packages tell a platform and the bits of its processor alone. */
const bits: Readonly<Record<string, string>> = { x86_64: '64', x86: '32', arm64: 'arm64', aarch64: 'aarch64' };
/** Fields that solvers read, by their kind. */
const texts = ['license', 'license_family', 'features', 'track_features', 'noarch', 'platform', 'arch'] as const;
const lists = ['depends', 'constrains'] as const;

function parseIndex(bytes: Buffer): CondaIndex {
  const given = readJson(bytes, 'info/index.json');
  const text = (key: string) => (typeof given[key] === 'string' ? given[key].trim().slice(0, maxWord) : '');
  const number = (key: string) => (Number.isSafeInteger(given[key]) ? (given[key] as number) : undefined);
  const [name, version, build] = [text('name'), text('version'), text('build')];
  if (!namePattern.test(name) || name.length > 150) throw BadRequest('package name is invalid');
  if (!versionPattern.test(version) || version.length > 100) throw BadRequest('package version is invalid');
  if (!buildPattern.test(build) || build.length > 100) throw BadRequest('package build is invalid');
  const older = text('platform') ? `${text('platform')}-${bits[text('arch')] ?? text('arch')}` : 'noarch';
  const subdir = text('subdir') || (text('noarch') ? 'noarch' : older);
  if (!subdirPattern.test(subdir) || subdir.length > 32) throw BadRequest('package subdir is invalid');
  const index: Record<string, unknown> = { name, version, build, build_number: number('build_number') ?? 0, subdir };
  for (const key of lists) {
    const list = given[key];
    if (key === 'depends' || Array.isArray(list)) index[key] = wordsOf(Array.isArray(list) ? list : []);
  }
  for (const key of texts) if (text(key)) index[key] = text(key);
  const timestamp = number('timestamp');
  if (timestamp !== undefined) index.timestamp = timestamp;
  return index as CondaIndex;
}

function wordsOf(list: readonly unknown[]): readonly string[] {
  if (list.length > maxList) throw BadRequest('The package has too many dependencies.');
  return list.filter((one): one is string => typeof one === 'string' && one.length <= maxWord);
}
