import { type Database, type SortOrder, contains } from '@mortise/plugin-sdk';
import type { Package } from '../api.js';
import { PackageRow, toPackage } from '../models/package.js';

export const overviewSorts = ['name', 'versions', 'size', 'published'] as const;

export interface OverviewSearch {
  readonly text: string;
  readonly type: string;
  readonly sort: (typeof overviewSorts)[number];
  readonly order: SortOrder;
  readonly limit: number;
  readonly offset: number;
}

/** A package with what its versions come to. */
export interface PackageSummary {
  readonly package: Package;
  readonly versions: number;
  /** Bytes of all files; content that several packages have counts in each. */
  readonly size: number;
  /** Milliseconds since 1970 UTC. */
  readonly publishedAt: number;
}

const sortColumns = {
  name: 'package.lower_name',
  versions: 'versions',
  size: 'size',
  published: 'published_at',
} as const;

/** All packages of the site, for administrators: two statements, however many there are. */
export async function packageOverview(
  database: Database,
  { text, type, sort, order, limit, offset }: OverviewSearch,
): Promise<{ items: PackageSummary[]; total: number }> {
  const query = database.query(PackageRow).where('package.is_internal', false);
  const word = text.trim().toLowerCase();
  if (word) void query.where(contains('package.lower_name', word));
  if (type) void query.where('package.type', type);
  const total = await query.clone().resultSize();
  const rows = total
    ? await query
        .leftJoin('package_version as v', (join) =>
          join.on('v.package_id', 'package.id').andOnVal('v.is_internal', false),
        )
        .leftJoin('package_file as f', 'f.version_id', 'v.id')
        .leftJoin('package_blob as b', 'b.id', 'f.blob_id')
        .groupBy('package.id')
        .select('package.*')
        .countDistinct('v.id as versions')
        .sum('b.size as size')
        .max('v.created_at as published_at')
        .orderBy(sortColumns[sort], order)
        .orderBy('package.id')
        .limit(limit)
        .offset(offset)
    : [];
  const items = (rows as (PackageRow & Record<'versions' | 'size' | 'published_at', number | string>)[]).map((row) => ({
    package: toPackage(row),
    versions: Number(row.versions),
    size: Number(row.size),
    publishedAt: Number(row.published_at),
  }));
  return { items, total };
}
