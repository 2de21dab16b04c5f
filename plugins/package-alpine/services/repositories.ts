import { createHash, createPublicKey } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BadRequest, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  brief,
  buildWithIncluded,
  inPieces,
  buildChunkedIndex,
  tarFrame,
  tarOf,
  type IndexBuild,
  type IndexFile,
  type PackageFile,
  type PackageIndexes,
  type PackageStore,
  type PlacedFile,
  type SigningKeys,
} from '@mortise/packages/api';
import { readApk, type ApkInfo } from './apk.js';

export const type = 'alpine';
export const indexName = 'APKINDEX.tar.gz';
export const property = 'alpine.info';
const anyArchitecture = 'noarch';
const pack = promisify(gzip);
const segment = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

interface Place {
  readonly branch: string;
  readonly repository: string;
  readonly architecture: string;
}

const partOf = ({ branch, repository, architecture }: Place) => `${branch}|${repository}|${architecture}`;
export const placeOf = (part: string): Place => {
  const [branch = '', repository = '', architecture = ''] = part.split('|');
  return { branch, repository, architecture };
};

/** Repositories of branches, with an index for each architecture (PKG-08). */
export class AlpineRepositories {
  constructor(
    private readonly store: PackageStore,
    private readonly indexes: PackageIndexes,
    private readonly keys: SigningKeys,
  ) {}

  async publish(
    owner: Account,
    actor: Actor,
    { branch, repository }: Omit<Place, 'architecture'>,
    body: Readable,
    size?: number,
  ): Promise<void> {
    if (!segment.test(branch) || !segment.test(repository)) throw BadRequest('invalid branch or repository');
    const blob = await this.store.receive(type, body, actor, size);
    const info = await readApk(this.store.random(blob), (start) => this.store.open(blob, { start }));
    const { name, version, architecture, description, homepage, license, maintainer, dependencies } = info;
    await this.store.publish({
      owner,
      actor,
      type,
      name,
      version,
      metadata: brief({ description, homepage, license, maintainer, dependencies }),
      onVersion: 'join',
      files: [
        {
          name: `${name}-${version}.apk`,
          blob,
          compositeKey: partOf({ branch, repository, architecture }),
          properties: { [property]: inPieces(JSON.stringify(info)) },
        },
      ],
    });
  }

  /** Of that architecture, or of all. */
  async file(owner: Account, place: Place, name: string): Promise<PackageFile> {
    const found =
      (await this.placed(owner, place, name)) ??
      (await this.placed(owner, { ...place, architecture: anyArchitecture }, name));
    if (!found) throw NotFound('package file');
    return found.file;
  }

  private async placed(owner: Account, place: Place, name: string): Promise<PlacedFile | undefined> {
    return (await this.store.filesUnder({ ownerId: owner.id, type, compositeKeys: [partOf(place)], name })).at(0);
  }

  async delete(owner: Account, actor: Actor, place: Place, name: string): Promise<void> {
    const file = await this.placed(owner, place, name);
    if (!file) throw NotFound('package file');
    await this.store.deleteFile(file.package, file.version, file.file, actor);
  }

  async index(owner: Account, place: Place): Promise<PackageFile> {
    const find = (part: string) => this.indexes.find(owner.id, type, part, indexName);
    const index = (await find(partOf(place))) ?? (await find(partOf({ ...place, architecture: anyArchitecture })));
    if (!index) throw NotFound('index');
    return index;
  }

  /** The name under which apk looks for the key, and the key in PEM. */
  async key(owner: Account): Promise<{ name: string; pem: string }> {
    const { publicKey: pem } = await this.keys.rsa(owner, type);
    const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
    const fingerprint = createHash('sha256').update(der).digest('hex');
    return { name: `${owner.name.toLowerCase()}@${fingerprint}.rsa.pub`, pem };
  }

  /** Packages for all architectures stand in the index of each. */
  build(build: IndexBuild): Promise<Record<string, readonly IndexFile[]>> {
    return buildWithIncluded(
      build,
      (part, general) => {
        const place = placeOf(general);
        return place.architecture === anyArchitecture && part.startsWith(partOf({ ...place, architecture: '' }));
      },
      (part, packageIds) => this.files(build, part, packageIds),
    );
  }

  /** Two members of gzip, where clients look for the end of what is signed: the signature, and all of the rest. */
  private async files(build: IndexBuild, part: string, changed?: readonly number[]): Promise<readonly IndexFile[]> {
    const place = placeOf(part);
    const { owner } = build;
    // an architecture without its own index gets the index of all
    if (!(await this.store.hasUnder({ ownerId: owner.id, type, compositeKeys: [part] }))) return [];
    const compositeKeys = [part, partOf({ ...place, architecture: anyArchitecture })];
    const under = { ownerId: owner.id, type, compositeKeys };
    const sealOf = async (packed: Readable) => {
      const { name } = await this.key(owner);
      const content = await (await this.keys.rsa(owner, type)).sign(packed, 'sha1');
      return pack(await tarOf([{ name: `.SIGN.RSA.${name}`, content, mode: 0o600 }], { end: false }));
    };
    return buildChunkedIndex(build, this.store, {
      part,
      changed,
      files: [{ name: indexName, packing: 'gzip', seal: sealOf }],
      all: () => this.store.packagesUnder(under),
      textsOf: async (packageIds) => {
        const texts = new Map<number, string[]>();
        for (const one of await this.store.filesUnder({ ...under, packageIds, property })) {
          const { id } = one.package;
          const known = texts.get(id);
          if (known) known.push(stanza(one, place.architecture));
          else texts.set(id, [stanza(one, place.architecture)]);
        }
        return new Map(
          [...texts].map(([id, stanzas]) => [id, { entries: stanzas.length, texts: [Buffer.from(stanzas.join(''))] }]),
        );
      },
      frame: (_text, { bytes }) => tarFrame('APKINDEX', bytes),
    });
  }
}

/** What the index says of a package, a letter for each line. */
function stanza({ file, value }: PlacedFile, architecture: string): string {
  const info = JSON.parse(value) as ApkInfo;
  const lines: (readonly [string, string | number | undefined])[] = [
    ['C', info.checksum],
    ['P', info.name],
    ['V', info.version],
    ['A', architecture],
    ['T', info.description],
    ['U', info.homepage],
    ['L', info.license],
    ['S', file.size],
    ['I', info.installedSize],
    ['o', info.origin],
    ['m', info.maintainer],
    ['t', info.buildDate],
    ['c', info.commit],
    ['D', info.dependencies.join(' ')],
    ['p', info.provides.join(' ')],
    ['i', info.installIf],
    ['k', info.priority > 0 ? info.priority : undefined],
  ];
  const fields = lines.filter(([, text]) => text !== undefined && text !== '');
  return `${fields.map(([letter, text]) => `${letter}:${text}`).join('\n')}\n\n`;
}
