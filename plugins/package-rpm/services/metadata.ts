import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { Problem } from '@mortise/plugin-sdk';
import {
  buildChunkedIndex,
  type IndexBuild,
  type IndexFile,
  type PackageFile,
  type PackageStore,
  type PackageEntries,
  type PlacedFile,
  type ReceivedBlob,
  type SigningKeys,
} from '@mortise/packages/api';
import type { RpmXml } from './describe.js';
import { advisoriesOf, errataOf, updateInfo } from './errata.js';

export const type = 'rpm';
/** What the lists say of a file. */
export const property = 'rpm.xml';

const space = 'http://linux.duke.edu/metadata';
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
/** Errata of the packages, those of each on a line: of them the list of all is made. */
const errataFile = '.errata';
const updatesFile = 'updateinfo.xml.gz';
const pack = promisify(gzip);

/** Texts of the index, in this order, with their roots; the errata follow. */
const lists: readonly { readonly kind: keyof RpmXml; readonly root: string; readonly spaces: string }[] = [
  { kind: 'primary', root: 'metadata', spaces: `xmlns="${space}/common" xmlns:rpm="${space}/rpm"` },
  { kind: 'filelists', root: 'filelists', spaces: `xmlns="${space}/filelists"` },
  { kind: 'other', root: 'otherdata', spaces: `xmlns="${space}/other"` },
];
const fileOf = (kind: string) => `${kind}.xml.gz`;

interface MetadataDeps {
  readonly packageStore: PackageStore;
  readonly signingKeys: SigningKeys;
}

/** The metadata of a group: lists of its packages, errata, and a signed list of these files. */
export async function buildMetadata(
  build: IndexBuild,
  place: string,
  { packageStore: store, signingKeys }: MetadataDeps,
): Promise<readonly IndexFile[]> {
  const under = { ownerId: build.owner.id, type, compositeKeys: [place] };
  const [first, ...others] = [...lists.map(({ kind }) => fileOf(kind)), errataFile].map((name, text) => ({
    name,
    packing: 'gzip' as const,
    text,
  }));
  const files = await buildChunkedIndex(build, store, {
    part: place,
    changed: build.changed.get(place),
    files: [first!, ...others],
    all: () => store.packagesUnder(under),
    textsOf: async (packageIds) => textsOf(place, await store.filesUnder({ ...under, packageIds, property })),
    frame: (text, { entries }) => {
      const list = lists[text];
      if (!list) return {};
      const head = Buffer.from(`${declaration}<${list.root} ${list.spaces} packages="${entries}">\n`);
      return { head, end: Buffer.from(`</${list.root}>`) };
    },
  });
  if (files.length === 0) return [];
  const kept = new Map(files.map(({ name, content }) => [name, content as ReceivedBlob]));
  const updates = await updatesOf(build, place, store, kept.get(errataFile)!);
  const entry = [...lists.map(({ kind }) => ({ kind: kind as string, blob: kept.get(fileOf(kind))! }))];
  if (updates) entry.push({ kind: 'updateinfo', blob: updates });
  const now = Math.floor(Date.now() / 1000);
  const data = await Promise.all(
    entry.map(async ({ kind, blob: { sha256, size } }) => {
      const open = await sumOf(await store.open({ sha256 }));
      return (
        `<data type="${kind}"><checksum type="sha256">${sha256}</checksum>` +
        `<open-checksum type="sha256">${open.sha256}</open-checksum>` +
        `<location href="repodata/${fileOf(kind)}"/><timestamp>${now}</timestamp>` +
        `<size>${size}</size><open-size>${open.size}</open-size></data>`
      );
    }),
  );
  const repomd = Buffer.from(
    `${declaration}<repomd xmlns="${space}/repo" xmlns:rpm="${space}/rpm">\n${data.join('\n')}\n</repomd>\n`,
  );
  const signature = await (await signingKeys.openPgp(build.owner, type)).sign(repomd, 'armored');
  return [
    ...files,
    ...(updates ? [{ name: updatesFile, content: updates }] : []),
    { name: 'repomd.xml', content: repomd },
    { name: 'repomd.xml.asc', content: Buffer.from(signature) },
  ];
}

function textsOf(place: string, all: readonly PlacedFile[]): ReadonlyMap<number, PackageEntries> {
  const packages = new Map<number, PlacedFile[]>();
  for (const one of all) {
    const known = packages.get(one.package.id);
    if (known) known.push(one);
    else packages.set(one.package.id, [one]);
  }
  return new Map(
    [...packages].map(([id, files]) => {
      const entries = files.map(({ value }) => JSON.parse(value) as RpmXml);
      const versions = new Map(files.map(({ version }) => [version.id, version]));
      const errata = [...versions.values()].flatMap(({ metadata }) => errataOf(metadata)[place] ?? []);
      const texts = [
        ...lists.map(({ kind }) => entries.map((one) => `${one[kind]}\n`).join('')),
        errata.length > 0 ? `${JSON.stringify(errata)}\n` : '',
      ];
      return [id, { entries: entries.length, texts: texts.map((text) => Buffer.from(text)) }];
    }),
  );
}

/** The errata of all packages; the file that is served where they are the same as before. */
async function updatesOf(
  { current, keep }: IndexBuild,
  place: string,
  store: PackageStore,
  errata: ReceivedBlob,
): Promise<ReceivedBlob | undefined> {
  const served = (name: string) => current.get(place)?.find((file) => file.name === name);
  const before = served(updatesFile);
  if (before && served(errataFile)?.sha256 === errata.sha256 && (await isThere(store, before))) return blobOf(before);
  const texts: Buffer[] = [];
  await unpacked(await store.open(errata), (piece) => void texts.push(piece));
  const advisories = advisoriesOf(Buffer.concat(texts).toString('utf8'));
  return advisories.length > 0 ? keep(await pack(declaration + updateInfo(advisories))) : undefined;
}

const blobOf = ({ blobId, size, md5, sha1, sha256, sha512 }: PackageFile): ReceivedBlob => ({
  id: blobId,
  size,
  md5,
  sha1,
  sha256,
  sha512,
});

async function isThere(store: PackageStore, file: PackageFile): Promise<boolean> {
  try {
    (await store.open(file)).destroy();
    return true;
  } catch (error) {
    if (Problem.is(error) && error.code === 'not_found') return false;
    throw error;
  }
}

const unpacked = (packed: Readable, take: (piece: Buffer) => void): Promise<void> =>
  pipeline(packed, createGunzip({ chunkSize: 256 * 1024 }), async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) take(piece);
  });

/** Of what is packed there. */
async function sumOf(packed: Readable): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  await unpacked(packed, (piece) => {
    hash.update(piece);
    size += piece.length;
  });
  return { sha256: hash.digest('hex'), size };
}
