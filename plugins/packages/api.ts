/**
 * The contract of `packages`: the shared store of packages, versions and files, and the extension point
 * {@link packageFormats} with which a registry protocol is added as one folder.
 */
import { Joi, defineEvent, defineJob } from '@mortise/plugin-sdk';
import { userSchema, type ApiUser } from '@mortise/accounts/api';
import { repositorySchema, type ApiRepository } from '@mortise/repositories/api';

export * from './contract/access.js';
export {
  arMembers,
  gunzip,
  isPlainPath,
  type ArchiveEntry,
  type ArchiveLimits,
  type ArMember,
  type RandomAccess,
} from './contract/archives.js';
export * from './contract/formats.js';
export * from './contract/indexes.js';
export * from './contract/keys.js';
export { packBzip2 } from './contract/pack.js';
export * from './contract/pieces.js';
export * from './contract/semver.js';
export * from './contract/store.js';
export * from './contract/tar.js';
export * from './contract/proxy-sources.js';
export * from './contract/values.js';
export { packingOf, unpack, unpackAny, type Packing } from './contract/unpack.js';
export * from './contract/xml.js';
export * from './contract/yaml.js';
export { zipEntries } from './contract/zip.js';
export * from './pages/package-fields.js';

export interface PackageEvent {
  readonly ownerId: number;
  readonly packageId: number;
  readonly versionId: number;
  readonly repositoryId: number;
  readonly actorId: number;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly creatorId: number;
  readonly createdAt: number;
}
/** A version was published. */
export const packageCreated = defineEvent<PackageEvent>('packages.created');
/** A version was deleted. */
export const packageDeleted = defineEvent<PackageEvent>('packages.deleted');

/** Removes packages without versions, and blobs without files. */
export const cleanUpPackages = defineJob<Record<string, never>>('packages.cleanUp');

// ---------------------------------------------------------------- REST models

export interface ApiPackage {
  id: number;
  owner: ApiUser;
  repository: ApiRepository | null;
  creator: ApiUser;
  type: string;
  name: string;
  version: string;
  html_url: string;
  created_at: string;
}

export const packageSchema = Joi.object<ApiPackage>({
  id: Joi.number().integer().required(),
  owner: userSchema.required(),
  repository: repositorySchema.allow(null).required(),
  creator: userSchema.required(),
  type: Joi.string().required(),
  name: Joi.string().required(),
  version: Joi.string().required(),
  html_url: Joi.string().required(),
  created_at: Joi.string().isoDate().required(),
}).label('Package');

export const packageFileSchema: Joi.ObjectSchema<object> = Joi.object({
  id: Joi.number().integer().required(),
  size: Joi.number().integer().required(),
  name: Joi.string().required(),
  md5: Joi.string().required(),
  sha1: Joi.string().required(),
  sha256: Joi.string().required(),
  sha512: Joi.string().required(),
}).label('PackageFile');
