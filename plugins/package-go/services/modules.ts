import type { Readable } from 'node:stream';
import { BadRequest, Conflict, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  inPieces,
  isPlainPath,
  zipEntries,
  type Package,
  type PackageFile,
  type PackageStore,
  type PackageVersion,
  type ReceivedBlob,
} from '@mortise/packages/api';
import { checkName, checkVersion, decodeName, latestOf } from './module-path.js';

export const type = 'go';
const maxModule = 500 * 1024 * 1024;
const maxLicense = 16 * 1024 * 1024;
const maxGoMod = 16 * 1024 * 1024;
/** Longer ones are stored apart from what lists of versions read. */
export const maxKept = 64 * 1024;
export const goModProperty = 'go.mod';
/** Paths of modules are shorter. */
const maxSegments = 32;

interface Upload {
  readonly name: string;
  readonly version: string;
  readonly goMod: string;
}

export class Modules {
  constructor(private readonly store: PackageStore) {}

  async publish(owner: Account, actor: Actor, content: Readable, size: number | undefined): Promise<void> {
    const blob = await this.store.receive(type, content, actor, size);
    const { name, version, goMod } = await this.read(blob);
    const before = await this.store.find(owner.id, type, name);
    if (before && before.name !== name)
      throw Conflict(`there is a module ${before.name}, which differs in capitals only`);
    await this.store.publish({
      owner,
      actor,
      type,
      name,
      version,
      ...(goMod.length <= maxKept
        ? { metadata: { goMod } }
        : { versionProperties: { [goModProperty]: inPieces(goMod) } }),
      files: [{ name: `${version}.zip`, blob }],
    });
  }

  /** A zip as the client takes it: files below `module@version/` alone. */
  private async read(blob: ReceivedBlob): Promise<Upload> {
    const entries = await zipEntries(this.store.random(blob), { maxBytes: maxModule });
    const match = /^([^@]+)@([^/@]+)\//.exec(entries[0]?.name ?? '');
    if (!match) throw BadRequest('package has invalid structure');
    const [prefix, name = '', version = ''] = match;
    const seen = new Set<string>();
    for (const { name: path, kind, size } of entries) {
      const rest = path.slice(prefix.length);
      if (!path.startsWith(prefix) || kind !== 'file' || !isPlainPath(rest))
        throw BadRequest(`the archive holds something that the client refuses: ${path}`);
      if (seen.has(path.toLowerCase())) throw BadRequest(`two files differ in capitals only: ${path}`);
      seen.add(path.toLowerCase());
      if ((rest === 'go.mod' && size > maxGoMod) || (rest === 'LICENSE' && size > maxLicense))
        throw BadRequest(`${rest} is too large`);
    }
    checkName(name);
    const file = entries.find((entry) => entry.name === `${prefix}go.mod`);
    checkVersion(name, version, file !== undefined);
    const goMod = file ? (await file.content(maxGoMod)).toString('utf8') : `module ${name}\n`;
    const declared = /^[ \t]*module[ \t]+(?:"([^"\n]*)"|`([^`\n]*)`|(\S+))/m.exec(goMod);
    if (file && (declared?.[1] ?? declared?.[2] ?? declared?.[3]) !== name)
      throw BadRequest('go.mod names another module');
    return { name, version, goMod };
  }

  /** Is the path that of a module here, or below one? */
  async isOwn(owner: Account, path: string): Promise<boolean> {
    const segments = (decodeName(path) ?? path).split('/').slice(0, maxSegments);
    const above = segments.map((_, at) => segments.slice(0, at + 1).join('/'));
    return (await this.store.findAll(owner.id, type, above)).length > 0;
  }

  async need(owner: Account, path: string): Promise<Package> {
    const name = decodeName(path);
    const package_ = name && (await this.store.find(owner.id, type, name));
    // module paths tell capitals apart
    if (!package_ || package_.name !== name) throw NotFound('package');
    return package_;
  }

  async versions(owner: Account, path: string): Promise<string[]> {
    const { id } = await this.need(owner, path);
    const names = (await this.store.versionNames([id])).get(id)!.map(({ version }) => version);
    if (names.length === 0) throw NotFound('package');
    return names.reverse();
  }

  async version(owner: Account, path: string, wanted: string): Promise<PackageVersion> {
    const package_ = await this.need(owner, path);
    const name = wanted === 'latest' ? latestOf(await this.versions(owner, path)) : decodeName(wanted);
    const version = name === undefined ? undefined : await this.store.findVersion(package_.id, name);
    if (!version || version.version !== name) throw NotFound('package version');
    return version;
  }

  async goMod({ id, metadata }: PackageVersion): Promise<string> {
    if (typeof metadata.goMod === 'string') return metadata.goMod;
    const pieces = (await this.store.properties('version', [id], goModProperty)).get(id) ?? [];
    return pieces.map(({ value }) => value).join('');
  }

  async file(version: PackageVersion): Promise<PackageFile> {
    const [file] = (await this.store.files([version.id])).get(version.id) ?? [];
    if (!file) throw NotFound('package file');
    return file;
  }
}
