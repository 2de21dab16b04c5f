import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { BadRequest, Conflict, NotFound, type Actor, type QueryCache } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  inPieces,
  type Package,
  type PackageFile,
  type PackageStore,
  type PackageVersion,
  type PlacedFile,
} from '@mortise/packages/api';
import { fullVersion, readGem, type GemSpec } from './gem.js';
import { infoText, needsOf, quickSpec, specList, type InfoLine, type SpecList } from './indexes.js';
import { compareGemVersions } from './versions.js';

export const type = 'rubygems';
/** All gems of an owner lie under one key, so that they are found at once. */
export const gemKey = 'gem';
export const lineProperty = 'rubygems.line';
export const specProperty = 'rubygems.spec';

/** What a file tells of itself in the indexes. */
interface Line {
  readonly platform: string;
  readonly dependencies: string;
  readonly more: string;
}

/** What the page shows; all but the dependencies is of the first platform that came. */
export type StoredGem = Pick<GemSpec, 'summary' | 'description' | 'authors' | 'homepage' | 'licenses' | 'dependencies'>;

export interface Document {
  readonly content: Buffer;
  readonly md5: string;
}

const documentOf = (content: Buffer | string): Document => {
  const bytes = Buffer.from(content as string);
  return { content: bytes, md5: createHash('md5').update(bytes).digest('hex') };
};

const lineOf = (text: string): Line => JSON.parse(text) as Line;

const byVersion = (a: InfoLine, b: InfoLine) =>
  compareGemVersions(a.version, b.version) || (a.platform < b.platform ? -1 : a.platform > b.platform ? 1 : 0);

export class Gems {
  constructor(
    private readonly store: PackageStore,
    private readonly documents: QueryCache<Document>,
  ) {}

  async push(owner: Account, actor: Actor, body: Readable, size: number | undefined): Promise<GemSpec> {
    const blob = await this.store.receive(type, body, actor, size);
    const spec = await readGem(await this.store.open(blob));
    const { name, version, platform, summary, description, authors, homepage, licenses, dependencies } = spec;
    const before = await this.store.find(owner.id, type, name);
    // names that differ by case alone would lie beside each other in the client's folders
    if (before && before.name !== name) throw Conflict(`there is a gem ${before.name} already`);
    const stored: StoredGem = { summary, description, authors, homepage, licenses, dependencies };
    const line: Line = { platform, ...needsOf(spec) };
    await this.store.publish({
      owner,
      actor,
      type,
      name,
      version,
      metadata: { ...stored },
      onVersion: 'join',
      files: [
        {
          name: `${name}-${fullVersion(version, platform)}.gem`.toLowerCase(),
          blob,
          compositeKey: gemKey,
          properties: {
            [lineProperty]: inPieces(JSON.stringify(line)),
            [specProperty]: inPieces(JSON.stringify(spec)),
          },
        },
      ],
    });
    return spec;
  }

  /** The gem that a file name means: any of its hyphens may end the name. */
  async file(
    owner: Account,
    stem: string,
  ): Promise<{ package_: Package; version: PackageVersion; file: PackageFile } | undefined> {
    const parts = stem.split('-');
    for (let at = parts.length - 1; at > 0 && at > parts.length - 12; at--) {
      if (!/^\d/.test(parts[at]!)) continue;
      const package_ = await this.store.find(owner.id, type, parts.slice(0, at).join('-'));
      const version = package_ && (await this.store.findVersion(package_.id, parts[at]!));
      const file = version && (await this.store.findFile(version.id, `${stem}.gem`, gemKey));
      if (file) return { package_, version, file };
    }
    return undefined;
  }

  async needFile(owner: Account, stem: string): Promise<PackageFile> {
    const file = await this.file(owner, stem);
    if (!file) throw NotFound('package file');
    return file.file;
  }

  async specification(owner: Account, stem: string): Promise<Buffer> {
    const { id } = await this.needFile(owner, stem);
    const text = (await this.store.properties('file', [id], specProperty)).get(id) ?? [];
    if (text.length === 0) throw NotFound('package file');
    return quickSpec(JSON.parse(text.map((one) => one.value).join('')) as GemSpec);
  }

  async yank(owner: Account, actor: Actor, fields: Readonly<Record<string, string>>): Promise<string> {
    const { gem_name: name = '', version: wanted = '', platform = '' } = fields;
    if (!name || !wanted) throw BadRequest('The form has no gem_name or no version.');
    const package_ = await this.store.find(owner.id, type, name);
    const version = package_ && (await this.store.findVersion(package_.id, wanted));
    if (!version) throw NotFound('package version');
    const files = (await this.store.files([version.id])).get(version.id) ?? [];
    const of = (one: string) => `${package_.name}-${fullVersion(version.version, one)}.gem`.toLowerCase();
    // gem names a platform only on request: the gem for all platforms, or the only one
    const file =
      files.find((one) => one.lowerName === of(platform || 'ruby')) ??
      (platform || files.length > 1 ? undefined : files[0]);
    if (!file) throw NotFound('package file');
    await this.store.deleteFile(package_, version, file, actor);
    return file.name;
  }

  specs(owner: Account, kind: SpecList): Promise<Document> {
    return this.documents.load(`${owner.id}:${kind}`, async () => {
      const gems = await this.all(owner);
      const listed = gems.map(({ package: { name }, version: { version }, value }) => ({
        name,
        version,
        platform: lineOf(value).platform,
      }));
      return documentOf(specList(kind, listed));
    });
  }

  /** The compact index: each gem with its versions and the sum of its entry. */
  versions(owner: Account): Promise<Document> {
    return this.documents.load(`${owner.id}:versions`, async () => {
      const gems = await this.all(owner);
      const newest = gems.reduce((time, { file }) => Math.max(time, file.createdAt), 0);
      const lines = [...groupedByName(gems)].map(([name, listed]) => {
        const versions = listed.map(({ version, platform }) => fullVersion(version, platform)).join(',');
        return `${name} ${versions} ${documentOf(infoText(listed)).md5}\n`;
      });
      return documentOf(`created_at: ${new Date(newest).toISOString()}\n---\n${lines.join('')}`);
    });
  }

  names(owner: Account): Promise<Document> {
    return this.documents.load(`${owner.id}:names`, async () => {
      const names = [...groupedByName(await this.all(owner)).keys()];
      return documentOf(`---\n${names.map((name) => `${name}\n`).join('')}`);
    });
  }

  async info(owner: Account, name: string): Promise<Document> {
    const package_ = await this.store.find(owner.id, type, name);
    if (!package_) throw NotFound('package');
    return this.documents.load(`info:${package_.id}`, async () => {
      const files = await this.store.filesByKey(package_.id, gemKey);
      if (files.length === 0) throw NotFound('package');
      const names = (await this.store.versionNames([package_.id])).get(package_.id) ?? [];
      const versions = new Map(names.map((one) => [one.id, one.version]));
      const lines: InfoLine[] = [];
      for (let at = 0; at < files.length; at += 500) {
        const some = files.slice(at, at + 500);
        const values = await this.store.properties(
          'file',
          some.map(({ id }) => id),
          lineProperty,
        );
        for (const { id, versionId, sha256 } of some) {
          const version = versions.get(versionId);
          const value = values.get(id);
          if (version && value) lines.push({ version, sha256, ...lineOf(value.map((one) => one.value).join('')) });
        }
      }
      return documentOf(infoText(lines.sort(byVersion)));
    });
  }

  private all(owner: Account): Promise<PlacedFile[]> {
    return this.store.filesUnder({ ownerId: owner.id, type, compositeKeys: [gemKey], property: lineProperty });
  }
}

function groupedByName(gems: readonly PlacedFile[]): Map<string, InfoLine[]> {
  const groups = new Map<string, InfoLine[]>();
  for (const {
    package: { name },
    version: { version },
    file: { sha256 },
    value,
  } of gems) {
    const line = { version, sha256, ...lineOf(value) };
    const group = groups.get(name);
    if (group) group.push(line);
    else groups.set(name, [line]);
  }
  for (const group of groups.values()) group.sort(byVersion);
  return groups;
}
