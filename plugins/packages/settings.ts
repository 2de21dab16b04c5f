import { Joi } from '@mortise/plugin-sdk';

export interface PackageSettings {
  ENABLED: boolean;
  LIMIT_TOTAL_OWNER_COUNT: number;
  LIMIT_TOTAL_OWNER_SIZE: string;
  SIGNING_KEY_BITS: number;
  UPSTREAM_ANONYMOUS: boolean;
  UPSTREAM_SIZE: string;
  UPSTREAM_FILE_SIZE: string;
  UPSTREAM_TRANSFER_SIZE: string;
  UPSTREAM_FRESH_SECONDS: number;
  UPSTREAM_STALE_HOURS: number;
  UPSTREAM_TIMEOUT_SECONDS: number;
  [limitSizeOfFormat: `LIMIT_SIZE_${string}`]: string;
}

/** Key of the setting in `[packages]` that limits the files of a format. */
export const sizeLimitKey = (format: string): `LIMIT_SIZE_${string}` =>
  `LIMIT_SIZE_${format.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;

/** The setting that limits the files of a format; its plugin declares it: `host.settings('packages', sizeLimit('npm'))`. */
export const sizeLimit = (format: string): Joi.ObjectSchema<Record<string, string>> =>
  Joi.object({
    [sizeLimitKey(format)]: Joi.string()
      .default('-1')
      .description(`Bytes of one file of the format ${format}, for instance 500 MiB; -1: any.`),
  });

/** `[packages]`. */
export const packageSettings = Joi.object<PackageSettings>({
  ENABLED: Joi.boolean().default(true).description('Serve package registries.'),
  LIMIT_TOTAL_OWNER_COUNT: Joi.number()
    .integer()
    .min(-1)
    .default(-1)
    .description('Versions that one owner may have; -1: any number.'),
  LIMIT_TOTAL_OWNER_SIZE: Joi.string()
    .default('-1')
    .description('Bytes of all files of one owner, for instance 10 GiB; -1: any.'),
  SIGNING_KEY_BITS: Joi.number()
    .integer()
    .min(2048)
    .max(4096)
    .default(3072)
    .description('Length of new RSA and OpenPGP keys that sign the indexes of an owner.'),
  UPSTREAM_ANONYMOUS: Joi.boolean()
    .default(false)
    .description('Pass on requests of visitors who are not signed in too, where a format has an upstream.'),
  UPSTREAM_SIZE: Joi.string()
    .default('10 GiB')
    .description('Bytes that are kept of all upstreams; what was not used for the longest time goes first. -1: any.'),
  UPSTREAM_FILE_SIZE: Joi.string()
    .default('2 GiB')
    .description('Bytes that one file of an upstream may have; -1: any.'),
  UPSTREAM_TRANSFER_SIZE: Joi.string()
    .default('8 GiB')
    .description(
      'Bytes of files of upstreams that may be on their way at once, half of them for one person; on the disk they take up to twice as much. -1: any.',
    ),
  UPSTREAM_FRESH_SECONDS: Joi.number()
    .min(0)
    .default(300)
    .description('Seconds before an upstream is asked again whether a document has changed.'),
  UPSTREAM_STALE_HOURS: Joi.number()
    .min(0)
    .default(168)
    .description('Hours that documents are good for while their upstream does not answer.'),
  UPSTREAM_TIMEOUT_SECONDS: Joi.number()
    .min(1)
    .default(600)
    .description('Seconds that a file of an upstream may take; a document 30 at most.'),
  // declared by the plugins of the formats, and known to operators before such a plugin is there
}).pattern(/^LIMIT_SIZE_[A-Z0-9_]+$/, Joi.string());

interface CleanUpSettings {
  ENABLED: boolean;
  OLDER_THAN_HOURS: number;
}

/** `[cron.cleanup_packages]`. */
export const cleanUpSettings = Joi.object<CleanUpSettings, true>({
  ENABLED: Joi.boolean().default(true).description('Remove what no package refers to, every night.'),
  OLDER_THAN_HOURS: Joi.number().min(0).default(24).description('Hours that content without a package is kept.'),
});
