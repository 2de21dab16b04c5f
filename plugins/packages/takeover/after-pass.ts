import type { Database, PointReader, TakeoverContext } from '@mortise/plugin-sdk';
import { SourceFields, type PackageFormat } from '../api.js';
import { FileRow, toFile } from '../models/file.js';
import { BlobRow } from '../models/blob.js';
import { IndexMarkRow } from '../models/index-mark.js';
import { PackageRow, toPackage } from '../models/package.js';
import { VersionRow } from '../models/version.js';
import { replacedPrefix } from '../services/indexes.js';

interface AfterPassDeps {
  readonly database: Database;
  readonly formats: PointReader<PackageFormat>;
}

const pageSize = 500;

/** After a pass: names that only versions say, and marks of all indexes. */
export async function afterPass({ database, formats }: AfterPassDeps, context: TakeoverContext): Promise<void> {
  for (const format of formats.list()) {
    const nameOf = (await format.takeover?.())?.name;
    if (nameOf) await renamePackages(database, format.key, nameOf, context);
    if (format.index) await markIndexes(database, format.key, format.index);
  }
}

/** Packages of a format from one id on. */
const packagesAfter = (database: Database, type: string, after: number) =>
  database.query(PackageRow).where({ type, is_internal: false }).where('id', '>', after).orderBy('id').limit(pageSize);

async function renamePackages(
  database: Database,
  type: string,
  nameOf: (metadata: SourceFields) => string | undefined,
  context: TakeoverContext,
): Promise<void> {
  for (let after = 0; ;) {
    const page = await packagesAfter(database, type, after);
    const renamed = new Map<number, string>();
    const versions = await newestOf(
      database,
      page.map(({ id }) => id),
    );
    for (const row of page) {
      const name = nameOf(new SourceFields(versions.get(row.id)?.metadata));
      if (name !== undefined && name !== row.name) renamed.set(row.id, name);
    }
    for (const [id, name] of renamed) {
      const owner = page.find((row) => row.id === id)!.owner_id;
      const lower_name = name.toLowerCase();
      await database.write(async () => {
        const same = await database.query(PackageRow).findOne({ owner_id: owner, type, lower_name });
        if (same && same.id !== id) context.report(`the package ${name} of ${type} is there already`);
        else await database.query(PackageRow).findById(id).patch({ name, lower_name });
      });
    }
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** A version of each package that says anything of itself. */
async function newestOf(database: Database, ids: readonly number[]): Promise<Map<number, VersionRow>> {
  const newest = database
    .query(VersionRow)
    .whereIn('package_id', [...ids])
    .whereNot('metadata', '{}')
    .groupBy('package_id')
    .max('id');
  const rows = await database.query(VersionRow).whereIn('id', newest);
  return new Map(rows.map((row) => [row.package_id, row]));
}

/**
 * Marks without a job: the first reader has them built. Until then no rows are made whose ids a later pass could need. An
 * index that has not changed comes to the same files.
 */
async function markIndexes(
  database: Database,
  type: string,
  index: NonNullable<PackageFormat['index']>,
): Promise<void> {
  const parts = await servedIndexParts(database, type);
  for (let after = 0; ;) {
    const files = (await database
      .query(FileRow)
      .alias('f')
      .join('package_version as v', 'v.id', 'f.version_id')
      .join('package as p', 'p.id', 'v.package_id')
      .join('package_blob as b', 'b.id', 'f.blob_id')
      .where({ 'p.type': type, 'p.is_internal': false })
      .where('f.id', '>', after)
      .orderBy('f.id')
      .limit(pageSize)
      .select('b.*', 'f.*', 'p.id as package_id')) as (FileRow & BlobRow & { package_id: number })[];
    const packages = await database.query(PackageRow).findByIds([...new Set(files.map((file) => file.package_id))]);
    for (const row of packages) {
      const own = files.filter((file) => file.package_id === row.id).map((file) => toFile(file, file));
      for (const part of index.partsOf(own, toPackage(row))) addIndexPart(parts, row.owner_id, part);
    }
    const last = files.at(-1);
    if (!last) break;
    after = last.id;
  }
  await database.write(async () => {
    for (const [owner_id, own] of parts) {
      const marked = await database.query(IndexMarkRow).where({ owner_id, type, package_id: 0 }).select('part');
      for (const { part } of marked) own.delete(part);
      for (const part of own)
        await database.query(IndexMarkRow).insert({ owner_id, type, part, package_id: 0, created_at: 0 });
    }
  });
}

type IndexPartsByOwner = Map<number, Set<string>>;

function addIndexPart(parts: IndexPartsByOwner, ownerId: number, part: string): void {
  const own = parts.get(ownerId) ?? new Set();
  parts.set(ownerId, own.add(part));
}

/** Parts of indexes that an earlier pass led to: all of their packages may be gone. */
async function servedIndexParts(database: Database, type: string): Promise<IndexPartsByOwner> {
  const rows = (await database
    .query(FileRow)
    .alias('f')
    .join('package_version as v', 'v.id', 'f.version_id')
    .join('package as p', 'p.id', 'v.package_id')
    .where({ 'p.type': type, 'p.is_internal': true, 'v.lower_version': '_index' })
    .whereNot('f.composite_key', 'like', `${replacedPrefix}%`)
    .distinct('p.owner_id', 'f.composite_key')) as unknown as { owner_id: number; composite_key: string }[];
  const parts: IndexPartsByOwner = new Map();
  for (const { owner_id, composite_key } of rows) addIndexPart(parts, owner_id, composite_key);
  return parts;
}
