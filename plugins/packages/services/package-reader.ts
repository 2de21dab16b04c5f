import { contains, likePattern, type Database, type PointReader } from '@mortise/plugin-sdk';
import type { Package, PackageFile, PackageFormat, PackageVersion, PlacedFile } from '../api.js';
import type { FilesUnder, PackageNames, VersionSearch } from '../contract/store.js';
import { BlobRow } from '../models/blob.js';
import { FileRow, toFile } from '../models/file.js';
import { PackageRow, toPackage } from '../models/package.js';
import { PropertyRow } from '../models/property.js';
import { toVersion, VersionRow } from '../models/version.js';

type Of = 'package' | 'version' | 'file';

const fileColumns = [
  'f.id',
  'f.version_id',
  'f.blob_id',
  'f.name',
  'f.lower_name',
  'f.composite_key',
  'f.is_lead',
  'f.created_at',
  'b.size',
  'b.md5',
  'b.sha1',
  'b.sha256',
  'b.sha512',
];

/** Lists do without what formats keep about versions: it is long, and there are many. */
const listColumns = [
  'v.id',
  'v.package_id',
  'v.creator_id',
  'v.version',
  'v.lower_version',
  'v.is_internal',
  'v.download_count',
  'v.created_at',
];

/** Everything that is read of packages. */
export class PackageReader {
  constructor(
    protected readonly database: Database,
    private readonly formats: PointReader<PackageFormat>,
  ) {}

  async find(ownerId: number, type: string, name: string): Promise<Package | undefined> {
    const row = await this.database
      .query(PackageRow)
      .findOne({ owner_id: ownerId, type, lower_name: name.toLowerCase() });
    return row && toPackage(row);
  }

  async findAll(ownerId: number, type: string, names: readonly string[]): Promise<Package[]> {
    const rows = await this.database
      .query(PackageRow)
      .where({ owner_id: ownerId, type })
      .whereIn(
        'lower_name',
        names.map((name) => name.toLowerCase()),
      );
    return rows.map(toPackage);
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Package>> {
    const rows = ids.length ? await this.database.query(PackageRow).whereIn('id', [...ids]) : [];
    return new Map(rows.map((row) => [row.id, toPackage(row)]));
  }

  async findVersion(packageId: number, version: string): Promise<PackageVersion | undefined> {
    const row = await this.database
      .query(VersionRow)
      .findOne({ package_id: packageId, lower_version: version.toLowerCase() });
    return row && toVersion(row);
  }

  async versionById(id: number): Promise<PackageVersion | undefined> {
    const row = await this.database.query(VersionRow).findById(id);
    return row && toVersion(row);
  }

  async versionsByIds(ids: readonly number[]): Promise<Map<number, PackageVersion>> {
    const rows = ids.length ? await this.database.query(VersionRow).whereIn('id', [...ids]) : [];
    return new Map(rows.map((row) => [row.id, toVersion(row)]));
  }

  async owners(type: string): Promise<number[]> {
    const rows = await this.database
      .query(PackageRow)
      .where({ type, is_internal: false })
      .distinct('owner_id')
      .orderBy('owner_id');
    return rows.map(({ owner_id }) => owner_id);
  }

  async named({ type, ownerIds, after, limit }: PackageNames): Promise<Package[]> {
    if (ownerIds.length === 0 || limit <= 0) return [];
    const query = this.database
      .query(PackageRow)
      .alias('p')
      .select('p.*')
      .where({ 'p.type': type, 'p.is_internal': false })
      .whereIn('p.owner_id', [...ownerIds])
      .whereExists(
        this.database
          .knex()('package_version as v')
          .where('v.package_id', this.database.knex().ref('p.id'))
          .where('v.is_internal', false)
          .select('v.id'),
      )
      .limit(limit);
    if (after !== undefined) void query.where('p.lower_name', '>', after);
    if (ownerIds.length > 1) {
      const place = ownerIds.map(() => 'when ? then ?').join(' ');
      void query.orderByRaw(
        `case p.owner_id ${place} end`,
        ownerIds.flatMap((id, at) => [id, at]),
      );
    }
    return (await query.orderBy('p.lower_name')).map(toPackage);
  }

  async withVersion(type: string, version: string): Promise<Package[]> {
    const rows = await this.database
      .query(PackageRow)
      .alias('p')
      .join('package_version as v', 'v.package_id', 'p.id')
      .where({ 'p.type': type, 'v.lower_version': version.toLowerCase() })
      .select('p.*');
    return rows.map(toPackage);
  }

  async versions(packageId: number): Promise<PackageVersion[]> {
    return (await this.database.query(VersionRow).where({ package_id: packageId }).orderBy('id', 'desc')).map(
      toVersion,
    );
  }

  async bareVersions(packageId: number): Promise<PackageVersion[]> {
    return (await this.bareVersionsOf([packageId])).get(packageId) ?? [];
  }

  async bareVersionsOf(packageIds: readonly number[]): Promise<Map<number, PackageVersion[]>> {
    const byPackage = new Map<number, PackageVersion[]>(packageIds.map((id) => [id, []]));
    const rows = await this.database
      .query(VersionRow)
      .alias('v')
      .select(listColumns)
      .whereIn('v.package_id', [...packageIds])
      .orderBy('v.id', 'desc');
    for (const row of rows) byPackage.get(row.package_id)!.push(toVersion(row));
    return byPackage;
  }

  async versionNames(packageIds: readonly number[]): Promise<Map<number, { id: number; version: string }[]>> {
    const byPackage = new Map<number, { id: number; version: string }[]>(packageIds.map((id) => [id, []]));
    if (packageIds.length === 0) return byPackage;
    const rows = await this.database
      .query(VersionRow)
      .select('id', 'package_id', 'version')
      .whereIn('package_id', [...packageIds])
      .orderBy('id', 'desc');
    for (const { id, package_id, version } of rows) byPackage.get(package_id)!.push({ id, version });
    return byPackage;
  }

  async versionsWith(packageIds: readonly number[], name: string, value: string): Promise<Map<number, PackageVersion>> {
    if (packageIds.length === 0) return new Map();
    const rows = await this.database
      .query(VersionRow)
      .alias('v')
      .join('package_property as p', 'p.ref_id', 'v.id')
      .where({ 'p.ref_type': 'version', 'p.name': name, 'p.value': value, 'v.is_internal': false })
      .whereIn('v.package_id', [...packageIds])
      .select('v.*');
    return new Map(rows.map((row) => [row.package_id, toVersion(row)]));
  }

  async latest(packageId: number): Promise<PackageVersion | undefined> {
    const row = await this.database
      .query(VersionRow)
      .where({ package_id: packageId, is_internal: false })
      .orderBy('id', 'desc')
      .first();
    return row && toVersion(row);
  }

  async search(
    search: VersionSearch,
  ): Promise<{ items: { package: Package; version: PackageVersion }[]; total: number }> {
    const query = this.database
      .query(VersionRow)
      .alias('v')
      .join('package as p', 'p.id', 'v.package_id')
      .where({ 'v.is_internal': false, 'p.is_internal': false });
    if (search.ownerId !== undefined) void query.where('p.owner_id', search.ownerId);
    if (search.type) void query.where('p.type', search.type);
    if (search.repositoryId !== undefined) void query.where('p.repository_id', search.repositoryId);
    if (search.packageId !== undefined) void query.where('p.id', search.packageId);
    if (search.open) {
      for (const { key, openNames } of this.formats.list()) {
        if (!openNames) continue;
        void query.where((open) => {
          void open.whereNot('p.type', key);
          // from the first letter on: without the sign for anything before
          for (const start of openNames)
            void open.orWhereRaw("p.lower_name like ? escape '!'", [likePattern(start).slice(1)]);
        });
      }
    }
    const text = search.text?.trim().toLowerCase();
    if (text) void query.where(contains('p.lower_name', text));
    if (search.latest) {
      void query.whereRaw(
        'v.id = (select max(w.id) from package_version w where w.package_id = p.id and w.is_internal = ?)',
        [false],
      );
    }
    const total = await query.clone().resultSize();
    const columns = search.metadata ? ['v.*'] : listColumns;
    const rows = await query.select(columns).orderBy('v.id', 'desc').limit(search.limit).offset(search.offset);
    const packages = await this.byIds([...new Set(rows.map((row) => row.package_id))]);
    return { items: rows.map((row) => ({ package: packages.get(row.package_id)!, version: toVersion(row) })), total };
  }

  async files(versionIds: readonly number[]): Promise<Map<number, PackageFile[]>> {
    const byVersion = new Map<number, PackageFile[]>();
    if (versionIds.length === 0) return byVersion;
    const rows = await this.joinedFiles()
      .whereIn('f.version_id', [...versionIds])
      .orderBy('f.lower_name')
      .orderBy('f.id');
    for (const row of rows) {
      const list = byVersion.get(row.version_id) ?? [];
      list.push(toFile(row, row as unknown as BlobRow));
      byVersion.set(row.version_id, list);
    }
    return byVersion;
  }

  async findFile(versionId: number, name: string, compositeKey = ''): Promise<PackageFile | undefined> {
    const row = await this.joinedFiles()
      .where({ 'f.version_id': versionId, 'f.lower_name': name.toLowerCase(), 'f.composite_key': compositeKey })
      .first();
    return row && toFile(row, row as unknown as BlobRow);
  }

  async filesByKey(packageId: number, ...compositeKeys: readonly string[]): Promise<PackageFile[]> {
    const rows = await this.joinedFiles()
      .join('package_version as v', 'v.id', 'f.version_id')
      .where('v.package_id', packageId)
      .whereIn('f.composite_key', [...compositeKeys])
      .orderBy('f.id', 'desc');
    return rows.map((row) => toFile(row, row as unknown as BlobRow));
  }

  async filesUnder({ property, ...where }: FilesUnder): Promise<PlacedFile[]> {
    const query = this.under(where).select(fileColumns).orderBy('p.lower_name').orderBy('f.id');
    const files = (await query).map((row) => toFile(row, row as unknown as BlobRow));
    const placed: PlacedFile[] = [];
    for (let at = 0; at < files.length; at += 500) {
      const some = files.slice(at, at + 500);
      const rows = await this.database
        .query(VersionRow)
        .whereIn('id', [...new Set(some.map((file) => file.versionId))]);
      const versions = new Map(rows.map((row) => [row.id, toVersion(row)]));
      const packages = await this.byIds([...new Set(rows.map((row) => row.package_id))]);
      const ids = some.map((file) => file.id);
      const values = property === undefined ? undefined : await this.properties('file', ids, property);
      for (const file of some) {
        const version = versions.get(file.versionId);
        const package_ = version && packages.get(version.packageId);
        // gone since the first statement
        if (!package_) continue;
        const value = (values?.get(file.id) ?? []).map((one) => one.value).join('');
        placed.push({ package: package_, version, file, value });
      }
    }
    return placed;
  }

  async hasUnder(where: Omit<FilesUnder, 'property'>): Promise<boolean> {
    return (await this.under(where).select('f.id').first()) !== undefined;
  }

  async packagesUnder(where: Omit<FilesUnder, 'property'>): Promise<number[]> {
    const rows = await this.under(where).groupBy('p.id', 'p.lower_name').orderBy('p.lower_name').select('p.id');
    return rows.map(({ id }) => id);
  }

  private under({ ownerId, type, compositeKeys, name, packageIds }: Omit<FilesUnder, 'property'>) {
    const query = this.database
      .query(FileRow)
      .alias('f')
      .join('package_blob as b', 'b.id', 'f.blob_id')
      .join('package_version as v', 'v.id', 'f.version_id')
      .join('package as p', 'p.id', 'v.package_id')
      .where({ 'p.owner_id': ownerId, 'p.type': type, 'p.is_internal': false })
      .whereIn('f.composite_key', [...compositeKeys]);
    if (name !== undefined) void query.where('f.lower_name', name.toLowerCase());
    if (packageIds) void query.whereIn('p.id', [...packageIds]);
    return query;
  }

  private joinedFiles() {
    return this.database.query(FileRow).alias('f').join('package_blob as b', 'b.id', 'f.blob_id').select(fileColumns);
  }

  async properties(
    of: Of,
    ids: readonly number[],
    names?: string | readonly string[],
  ): Promise<Map<number, { name: string; value: string }[]>> {
    const byVersion = new Map<number, { name: string; value: string }[]>();
    if (ids.length === 0) return byVersion;
    const query = this.database
      .query(PropertyRow)
      .where('ref_type', of)
      .whereIn('ref_id', [...ids])
      .orderBy('id');
    if (names !== undefined) void query.whereIn('name', [names].flat());
    for (const row of await query) {
      const list = byVersion.get(row.ref_id) ?? [];
      list.push({ name: row.name, value: row.value });
      byVersion.set(row.ref_id, list);
    }
    return byVersion;
  }
}
