import type { Readable } from 'node:stream';
import { BadRequest, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  inPieces,
  type Package,
  type PackageFile,
  type PackageStore,
  type PackageVersion,
  type ReceivedBlob,
} from '@mortise/packages/api';
import { readInfo, readRecipe, type BinaryInfo } from './descriptions.js';
import {
  fits,
  compositeKeyOf,
  packageFiles,
  placeOf,
  recipeFiles,
  textOf,
  type Place,
  type Reference,
} from './references.js';

export const type = 'conan';
export const infoProperty = 'conan.info';
const maxText = 128 * 1024;
const pageSize = 500;

interface Placed {
  readonly file: PackageFile;
  readonly place: Place;
}

export interface Revision {
  readonly revision: string;
  /** Milliseconds. */
  readonly time: number;
}

/** The files of one version of one user and channel. */
interface Recipe {
  readonly package_: Package;
  readonly version: PackageVersion;
  readonly files: readonly Placed[];
}

/** Recipes and binaries. A version holds those of all users and channels, told apart by the keys of files. */
export class Recipes {
  constructor(private readonly store: PackageStore) {}

  async put(
    owner: Account,
    actor: Actor,
    reference: Reference,
    fileName: string,
    body: Readable,
    size: number | undefined,
  ): Promise<void> {
    const isBinary = reference.packageId !== undefined;
    if (!(isBinary ? packageFiles : recipeFiles).includes(fileName))
      throw BadRequest(`There is no file ${fileName} in a ${isBinary ? 'package' : 'recipe'}.`);
    const compositeKey = compositeKeyOf(reference);
    const blob = await this.store.receive(type, body, actor, size);
    const described = fileName === 'conanfile.py' ? readRecipe(await this.text(blob)) : undefined;
    const info = fileName === 'conaninfo.txt' ? readInfo(await this.text(blob)) : undefined;
    await this.store.publish({
      owner,
      actor,
      type,
      name: reference.name,
      version: reference.version,
      metadata: { ...described },
      onVersion: 'join',
      onFile: 'replace',
      files: [
        {
          name: fileName,
          blob,
          compositeKey,
          isLead: fileName === 'conanfile.py' || fileName === 'conan_package.tgz',
          ...(info && { properties: { [infoProperty]: inPieces(JSON.stringify(info)) } }),
        },
      ],
      within: async ({ version }) => {
        if (described) await this.store.setMetadata(version.id, { ...described });
      },
    });
  }

  /** As much as is read of what a recipe or a binary says of itself. */
  private async text(blob: ReceivedBlob): Promise<string> {
    const bytes = await this.store.random(blob).read(0, Math.min(blob.size, maxText));
    return bytes.toString('utf8');
  }

  async need(owner: Account, { name, version, user, channel }: Reference): Promise<Recipe> {
    const package_ = await this.store.find(owner.id, type, name);
    const packageVersion = package_ && (await this.store.findVersion(package_.id, version));
    const all = packageVersion ? ((await this.store.files([packageVersion.id])).get(packageVersion.id) ?? []) : [];
    const files = all.flatMap((file) => {
      const place = placeOf(file.compositeKey);
      return place?.user === user && place.channel === channel ? [{ file, place }] : [];
    });
    if (!package_ || !packageVersion || files.length === 0) throw NotFound('recipe');
    return { package_, version: packageVersion, files };
  }

  /** Revisions of the recipe, the newest first. */
  revisions({ files }: Recipe): readonly Revision[] {
    return newestFirst(files, (place) => (place.packageId === undefined ? place.recipeRevision : undefined));
  }

  packageRevisions({ files }: Recipe, { recipeRevision, packageId }: Reference): readonly Revision[] {
    return newestFirst(files, (place) =>
      place.recipeRevision === recipeRevision && place.packageId === packageId ? place.packageRevision : undefined,
    );
  }

  /** With the newest revisions where the reference names none. */
  complete(recipe: Recipe, reference: Reference): Reference {
    const recipeRevision = reference.recipeRevision ?? this.revisions(recipe)[0]?.revision;
    if (recipeRevision === undefined) throw NotFound('recipe');
    const whole = { ...reference, recipeRevision };
    if (whole.packageId === undefined) return whole;
    const packageRevision = whole.packageRevision ?? this.packageRevisions(recipe, whole)[0]?.revision;
    if (packageRevision === undefined) throw NotFound('package');
    return { ...whole, packageRevision };
  }

  /** Files of the one revision that a complete reference names. */
  filesOf(recipe: Recipe, reference: Reference): readonly PackageFile[] {
    const key = compositeKeyOf(reference);
    const matches = recipe.files.filter(({ file }) => file.compositeKey === key).map(({ file }) => file);
    if (matches.length === 0) throw NotFound('revision');
    return matches;
  }

  async file(owner: Account, reference: Reference, name: string): Promise<PackageFile> {
    const found = this.filesOf(await this.need(owner, reference), reference).find((file) => file.name === name);
    if (!found) throw NotFound('package file');
    return found;
  }

  /** What the binaries of a revision of a recipe are made for, by package id. */
  async binaries(recipe: Recipe, recipeRevision: string): Promise<Readonly<Record<string, BinaryInfo>>> {
    const newest = new Map<string, PackageFile>();
    for (const { file, place } of recipe.files) {
      if (place.recipeRevision !== recipeRevision || place.packageId === undefined) continue;
      if (file.name !== 'conaninfo.txt') continue;
      const before = newest.get(place.packageId);
      if (!before || before.id < file.id) newest.set(place.packageId, file);
    }
    const ids = [...newest.values()].map(({ id }) => id);
    const binaries: Record<string, BinaryInfo> = {};
    for (let at = 0; at < ids.length; at += pageSize) {
      const values = await this.store.properties('file', ids.slice(at, at + pageSize), infoProperty);
      for (const [id, { id: fileId }] of newest) {
        const pieces = values.get(fileId);
        if (pieces) binaries[id] = JSON.parse(pieces.map((one) => one.value).join('')) as BinaryInfo;
      }
    }
    return binaries;
  }

  /** References that a pattern fits: of the name, of name and version, or of all of it. */
  async search(owner: Account, pattern: string, ignoreCase: boolean): Promise<readonly string[]> {
    const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
    const wanted = fold(pattern || '*').slice(0, 500);
    const results: string[] = [];
    for (let offset = 0; ; offset += pageSize) {
      const { items } = await this.store.search({
        ownerId: owner.id,
        type,
        // the words before the first sign with a meaning narrow the search
        text: /^[^*?/@]+/.exec(wanted)?.[0],
        limit: pageSize,
        offset,
      });
      const files = await this.store.files(items.map(({ version }) => version.id));
      for (const { package: package_, version } of items) {
        const texts = new Set(
          (files.get(version.id) ?? []).flatMap(({ compositeKey }) => {
            const place = placeOf(compositeKey);
            return place ? [textOf(package_.name, version.version, place)] : [];
          }),
        );
        for (const text of texts) {
          const [plain = ''] = text.split('@');
          if ([text, plain, package_.name].some((one) => fits(wanted, fold(one)) && (one !== plain || text === plain)))
            results.push(text);
        }
      }
      if (items.length < pageSize) break;
    }
    return results.sort();
  }

  /** Removes the files that suit, in one transaction; there must be some. */
  async delete(owner: Account, actor: Actor, reference: Reference, suits: (place: Place) => boolean): Promise<void> {
    const { package_, version, files } = await this.need(owner, reference);
    const going = files.filter(({ place }) => suits(place)).map(({ file }) => file);
    if (going.length === 0) throw NotFound('revision');
    await this.store.deleteFiles(package_, version, going, actor);
  }
}

function newestFirst(files: readonly Placed[], revisionOf: (place: Place) => string | undefined): readonly Revision[] {
  const newestByRevision = new Map<string, { time: number; id: number }>();
  for (const { file, place } of files) {
    const revision = revisionOf(place);
    if (revision === undefined) continue;
    const before = newestByRevision.get(revision);
    if (!before || before.id < file.id) newestByRevision.set(revision, { time: file.createdAt, id: file.id });
  }
  return [...newestByRevision].sort(([, a], [, b]) => b.id - a.id).map(([revision, { time }]) => ({ revision, time }));
}
