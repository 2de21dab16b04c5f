/**
 * The contract of `packages`: the shared store of packages, versions and files, and the extension point
 * {@link packageFormats} with which a registry protocol is added as one folder.
 */
import { Joi, defineEvent, defineJob } from '@mortise/plugin-sdk';
import { userSchema, type ApiUser } from '@mortise/accounts/api';
import { repositorySchema, type ApiRepository } from '@mortise/repositories/api';

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
