/** Records of `release.yml` and `repo.yml`. */
import { Joi } from '@mortise/plugin-sdk';
import type { SourceRelease } from '../contract/records.js';
import { flag, id, text, time, timeIn, timeOut } from './records.js';

export interface AssetRecord {
  readonly id?: number | null;
  readonly name: string;
  readonly content_type?: string | null;
  readonly size?: number | null;
  readonly download_count?: number | null;
  readonly created?: string | null;
  readonly updated?: string | null;
  /** Below the folder of the dump: `release_assets/v1/data.bin`. */
  readonly download_url?: string | null;
}
export interface ReleaseRecord {
  readonly tag_name: string;
  readonly target_commitish?: string | null;
  readonly name?: string | null;
  readonly body?: string | null;
  readonly draft?: boolean | null;
  readonly prerelease?: boolean | null;
  readonly publisher_id?: number | null;
  readonly publisher_name?: string | null;
  readonly publisher_email?: string | null;
  readonly assets?: readonly AssetRecord[] | null;
  readonly created?: string | null;
  readonly published?: string | null;
}
export const releaseSchema = Joi.object<ReleaseRecord>({
  tag_name: Joi.string().allow('').required(),
  target_commitish: text,
  name: text,
  body: text,
  draft: flag,
  prerelease: flag,
  publisher_id: id,
  publisher_name: text,
  publisher_email: text,
  created: time,
  published: time,
  assets: Joi.array()
    .items(
      Joi.object<AssetRecord>({
        id,
        name: Joi.string().required(),
        content_type: text,
        size: id,
        download_count: id,
        created: time,
        updated: time,
        download_url: text,
      }),
    )
    .allow(null),
});

export const releaseToRecord = (release: SourceRelease, assets: readonly AssetRecord[]): ReleaseRecord => ({
  tag_name: release.tagName,
  target_commitish: release.target,
  name: release.title,
  body: release.note,
  draft: release.isDraft,
  prerelease: release.isPrerelease,
  publisher_id: release.author.id ?? 0,
  publisher_name: release.author.name,
  publisher_email: release.author.email ?? '',
  assets,
  created: timeOut(release.createdAt),
  published: timeOut(release.publishedAt),
});

export const releaseOfRecord = (
  record: ReleaseRecord,
  number: number,
  assets: SourceRelease['assets'],
): SourceRelease => ({
  id: String(number),
  tagName: record.tag_name,
  target: record.target_commitish ?? '',
  title: record.name ?? '',
  note: record.body ?? '',
  isDraft: record.draft === true,
  isPrerelease: record.prerelease === true,
  author: {
    id: record.publisher_id ?? 0,
    name: record.publisher_name || 'Ghost',
    ...(record.publisher_email && { email: record.publisher_email }),
  },
  createdAt: timeIn(record.created),
  publishedAt: timeIn(record.published),
  assets,
});

export interface RepositoryRecord {
  readonly name?: string | null;
  readonly owner?: string | null;
  readonly description?: string | null;
  readonly clone_addr?: string | null;
  readonly original_url?: string | null;
  readonly is_private?: boolean | null;
  readonly service_type?: number | string | null;
  /** Ours. */
  readonly website?: string | null;
  readonly default_branch?: string | null;
  readonly [other: string]: unknown;
}
export const repositoryRecordSchema = Joi.object<RepositoryRecord>({
  name: text,
  owner: text,
  description: text,
  clone_addr: text,
  original_url: text,
  is_private: flag,
  service_type: Joi.alternatives(Joi.number(), Joi.string().allow('')).allow(null),
  website: text,
  default_branch: text,
}).pattern(Joi.string(), Joi.any());

export const topicsSchema = Joi.object<{ readonly topics?: readonly string[] | null }>({
  topics: Joi.array().items(Joi.string().allow('')).allow(null),
});
