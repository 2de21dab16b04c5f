import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Problem,
  skippedRow,
  targetRow,
  type Encryption,
  type SourceRow,
  type StorageArea,
  type TargetRow,
  type TakeoverContext,
  type TableMapping,
} from '@mortise/plugin-sdk';
import { SourceFields, type PackageFormat, type PackageTakeover, type SourceVersion } from '../api.js';
import type { SourceFile } from '../contract/takeover.js';
import type { Properties } from '../contract/store.js';
import { BlobRow } from '../models/blob.js';
import { FileRow } from '../models/file.js';
import { PackageRow } from '../models/package.js';
import { PropertyRow } from '../models/property.js';
import { VersionRow } from '../models/version.js';
import { blobKey } from '../services/blobs.js';
import { collect } from '../services/request-body.js';

export interface PackageTakeoverDeps {
  /** By key; undefined where the format is not installed. */
  format(type: string): PackageFormat | undefined;
  readonly area: StorageArea;
  readonly encryption: Encryption;
}

export const unknownFormat = (row: SourceRow): string => `there is no format ${row.text('type')} here`;

/** Values of a name come and go together. */
class NamedPropertyRow extends PropertyRow {
  static override idColumn = ['ref_type', 'ref_id', 'name'];
}

/** What properties belong to, as they count it there. */
const refTypes = { version: 0, file: 1, package: 2 } as const;

const packageTable = { table: 'package', column: 'id', localColumn: 'package_id' } as const;
const propertyTable = { table: 'package_property', column: 'ref_id' } as const;
const blobTable = { table: 'package_blob', column: 'id', localColumn: 'blob_id' } as const;
const isSha256 = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

const propertyRows = (of: PropertyRow['ref_type'], id: number, properties: Properties = {}): TargetRow[] =>
  Object.entries(properties).flatMap(([name, values]) =>
    [values].flat().map((value) => targetRow(NamedPropertyRow, { ref_type: of, ref_id: id, name, value })),
  );

const valuesOf = (rows: readonly SourceRow[], of: keyof typeof refTypes, name: string): readonly string[] =>
  rows
    .filter((row) => row.number('ref_type') === refTypes[of] && row.text('name') === name)
    .map((row) => row.text('value'));

/** What a row of `package_version` says, with the package that it belongs to. */
function sourceVersion(version: SourceRow, package_: SourceRow, properties: readonly SourceRow[]): SourceVersion {
  return {
    name: package_.text('name'),
    version: version.text('version'),
    metadata: new SourceFields(version.json('metadata_json')),
    property: (name) => valuesOf(properties, 'version', name)[0] ?? '',
    properties: (name) => valuesOf(properties, 'version', name),
  };
}

async function readBlob(
  blob: SourceRow | undefined,
  maxBytes: number,
  context: TakeoverContext,
): Promise<Buffer | undefined> {
  const sha256 = blob?.text('hash_sha256') ?? '';
  if (!blob || !isSha256(sha256)) return undefined;
  const path = join(context.folder('packages'), blobKey(sha256));
  try {
    const file = await lstat(path);
    return file.isFile() && file.size <= maxBytes ? await collect(createReadStream(path), maxBytes) : undefined;
  } catch {
    return undefined;
  }
}

const unreadable = 'its format cannot read it';

/** What a format makes of a row; undefined: it refuses it, as it would refuse an upload. */
async function readable<T extends object>(map: () => T | Promise<T> | undefined): Promise<T | Partial<T> | undefined> {
  try {
    return (await map()) ?? {};
  } catch (error) {
    if (Problem.is(error)) return undefined;
    throw error;
  }
}

const packages = ({ format }: PackageTakeoverDeps): TableMapping => ({
  id: 'packages.packages',
  table: 'package',
  idTable: PackageRow,
  // those of Maven from older servers are read from the metadata of their versions
  derived: ['name', 'lower_name'],
  references: { owner_id: 'accounts.users', repository_id: { to: 'repositories.repositories', fallback: 0 } },
  ignored: ['lower_name', 'semver_compatible'],
  // indexes are made here
  filter: (row) => !row.flag('is_internal'),
  map(row) {
    if (!format(row.text('type'))) return skippedRow(unknownFormat(row));
    return targetRow(PackageRow, {
      id: row.number('id'),
      owner_id: row.number('owner_id'),
      repository_id: row.number('repo_id'),
      type: row.text('type'),
      name: row.text('name'),
      lower_name: row.text('name').toLowerCase(),
      is_internal: false,
    });
  },
});

type Takeovers = (type: string) => Promise<PackageTakeover>;

const versions = (takeovers: Takeovers): TableMapping => ({
  id: 'packages.versions',
  table: 'package_version',
  idTable: VersionRow,
  references: {
    package_id: 'packages.packages',
    creator_id: { to: 'accounts.users', fallback: 0 },
  },
  related: {
    package: packageTable,
    properties: propertyTable,
    files: { table: 'package_file', column: 'version_id' },
    blobs: { ...blobTable, via: 'files' },
  },
  ignored: ['lower_version'],
  // indexes, and uploads that wait for their manifest
  filter: (row) => !row.flag('is_internal'),
  async map(row, context) {
    const [package_] = row.related('package');
    if (!package_) return skippedRow('its package is missing');
    const id = row.number('id');
    const version = sourceVersion(row, package_, row.related('properties'));
    const { version: mapVersion } = await takeovers(package_.text('type'));
    const read = (fileName: string, maxBytes: number) => {
      const file = row.related('files').find((one) => one.text('lower_name') === fileName.toLowerCase());
      const blob = row.related('blobs').find((one) => one.number('id') === file?.number('blob_id'));
      return readBlob(blob, maxBytes, context);
    };
    const result = await readable(() => mapVersion?.({ ...version, read }));
    if (!result) return skippedRow(unreadable);
    const { metadata = {}, properties } = result;
    return [
      targetRow(VersionRow, {
        id,
        package_id: row.number('package_id'),
        creator_id: row.number('creator_id'),
        version: version.version,
        lower_version: version.version.toLowerCase(),
        metadata,
        is_internal: false,
        download_count: row.number('download_count'),
        created_at: row.time('created_unix'),
      }),
      ...propertyRows('version', id, properties),
    ];
  },
});

const blobs = ({ area }: PackageTakeoverDeps): TableMapping => ({
  id: 'packages.blobs',
  table: 'package_blob',
  idTable: BlobRow,
  map(row) {
    const sha256 = row.text('hash_sha256');
    if (!isSha256(sha256)) return skippedRow('it has no SHA-256');
    return targetRow(BlobRow, {
      id: row.number('id'),
      size: row.number('size'),
      md5: row.text('hash_md5'),
      sha1: row.text('hash_sha1'),
      sha256,
      sha512: row.text('hash_sha512'),
      created_at: row.time('created_unix'),
    });
  },
  async copyFiles(row, context) {
    const key = blobKey(row.text('hash_sha256'));
    await context.storeFile(join(context.folder('packages'), key), area, key);
  },
});

const files = (takeovers: Takeovers): TableMapping => ({
  id: 'packages.files',
  table: 'package_file',
  idTable: FileRow,
  references: { version_id: 'packages.versions', blob_id: 'packages.blobs' },
  related: {
    version: { table: 'package_version', column: 'id', localColumn: 'version_id' },
    package: { ...packageTable, via: 'version' },
    versionProperties: { ...propertyTable, localColumn: 'version_id' },
    properties: propertyTable,
    blob: blobTable,
  },
  filter: (row) => !row.related('version')[0]?.flag('is_internal'),
  async map(row, context) {
    const [[version], [package_], [blob]] = [row.related('version'), row.related('package'), row.related('blob')];
    if (!version || !package_ || !blob) return skippedRow('its version or its content is missing');
    const id = row.number('id');
    const name = row.text('name');
    const file: SourceFile = {
      package: sourceVersion(version, package_, row.related('versionProperties')),
      name,
      compositeKey: row.text('composite_key'),
      size: blob.number('size'),
      sha256: blob.text('hash_sha256'),
      property: (property) => valuesOf(row.related('properties'), 'file', property)[0] ?? '',
      read: (maxBytes) => readBlob(blob, maxBytes, context),
    };
    const { file: mapFile } = await takeovers(package_.text('type'));
    const result = await readable(() => mapFile?.(file));
    if (!result) return skippedRow(unreadable);
    const { compositeKey = file.compositeKey, properties } = result;
    return [
      targetRow(FileRow, {
        id,
        version_id: row.number('version_id'),
        blob_id: row.number('blob_id'),
        name,
        lower_name: name.toLowerCase(),
        composite_key: compositeKey,
        is_lead: row.flag('is_lead'),
        created_at: row.time('created_unix'),
      }),
      ...propertyRows('file', id, properties),
    ];
  },
});

export function contentTables(deps: PackageTakeoverDeps): readonly TableMapping[] {
  const known = new Map<string, Promise<PackageTakeover>>();
  const takeovers: Takeovers = (type) => {
    const takeover = known.get(type) ?? deps.format(type)?.takeover?.() ?? Promise.resolve({});
    known.set(type, takeover);
    return takeover;
  };
  return [packages(deps), versions(takeovers), blobs(deps), files(takeovers)];
}
