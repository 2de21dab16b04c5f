import { BaseModel } from '@mortise/plugin-sdk';
import type { Package, PackageFile, PackageVersion, ReceivedBlob } from '../api.js';

export class PackageRow extends BaseModel {
  static override tableName = 'package';
  static override booleans = ['is_internal'];
  declare id: number;
  declare owner_id: number;
  declare repository_id: number;
  declare type: string;
  declare name: string;
  declare lower_name: string;
  declare is_internal: boolean;
}

export class VersionRow extends BaseModel {
  static override tableName = 'package_version';
  static override booleans = ['is_internal'];
  static override json = ['metadata'];
  declare id: number;
  declare package_id: number;
  declare creator_id: number;
  declare version: string;
  declare lower_version: string;
  /** Not there in lists. */
  declare metadata?: Record<string, unknown>;
  declare is_internal: boolean;
  declare download_count: number;
  declare created_at: number;
}

/** Content, stored once however many files have it. */
export class BlobRow extends BaseModel {
  static override tableName = 'package_blob';
  declare id: number;
  declare size: number;
  declare md5: string;
  declare sha1: string;
  declare sha256: string;
  declare sha512: string;
  declare created_at: number;
}

export class FileRow extends BaseModel {
  static override tableName = 'package_file';
  static override booleans = ['is_lead'];
  declare id: number;
  declare version_id: number;
  declare blob_id: number;
  declare name: string;
  declare lower_name: string;
  declare composite_key: string;
  declare is_lead: boolean;
  declare created_at: number;
}

export class PropertyRow extends BaseModel {
  static override tableName = 'package_property';
  declare id: number;
  declare ref_type: 'package' | 'version' | 'file';
  declare ref_id: number;
  declare name: string;
  declare value: string;
}

/** A part of an index that has changed since its files were made. */
export class IndexMarkRow extends BaseModel {
  static override tableName = 'package_index_mark';
  declare id: number;
  declare owner_id: number;
  declare type: string;
  declare part: string;
  /** 0: the part is made of all of its packages. */
  declare package_id: number;
  declare created_at: number;
}

/** Which versions of an owner's packages of a format the nightly clean-up removes. */
export class CleanUpRuleRow extends BaseModel {
  static override tableName = 'package_clean_up_rule';
  static override booleans = ['is_enabled', 'match_full_name'];
  declare id: number;
  declare owner_id: number;
  declare type: string;
  declare is_enabled: boolean;
  declare keep_count: number;
  declare keep_pattern: string;
  declare remove_days: number;
  declare remove_pattern: string;
  declare match_full_name: boolean;
}

export class SigningKeyRow extends BaseModel {
  static override tableName = 'package_signing_key';
  declare id: number;
  declare owner_id: number;
  declare type: string;
  declare kind: 'openpgp' | 'rsa';
  declare public_key: string;
  declare sealed_key: string;
  declare created_at: number;
}

export const toPackage = (row: PackageRow): Package => ({
  id: row.id,
  ownerId: row.owner_id,
  repositoryId: row.repository_id,
  type: row.type,
  name: row.name,
  lowerName: row.lower_name,
  isInternal: row.is_internal,
});

export const toVersion = (row: VersionRow): PackageVersion => ({
  id: row.id,
  packageId: row.package_id,
  creatorId: row.creator_id,
  version: row.version,
  lowerVersion: row.lower_version,
  metadata: row.metadata ?? {},
  isInternal: row.is_internal,
  downloadCount: row.download_count,
  createdAt: Number(row.created_at),
});

export const toBlob = (row: BlobRow): ReceivedBlob => ({
  id: row.id,
  size: Number(row.size),
  md5: row.md5,
  sha1: row.sha1,
  sha256: row.sha256,
  sha512: row.sha512,
});

export const toFile = (row: FileRow, blob: Omit<ReceivedBlob, 'id'>): PackageFile => ({
  id: row.id,
  versionId: row.version_id,
  blobId: row.blob_id,
  name: row.name,
  lowerName: row.lower_name,
  compositeKey: row.composite_key,
  isLead: row.is_lead,
  createdAt: Number(row.created_at),
  size: Number(blob.size),
  md5: blob.md5,
  sha1: blob.sha1,
  sha256: blob.sha256,
  sha512: blob.sha512,
});
