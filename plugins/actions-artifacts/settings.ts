import { Joi } from '@mortise/plugin-sdk';

const size = (megabytes: number) => Joi.number().integer().min(1).default(megabytes);

interface ArtifactSettings {
  /** MiB. */
  readonly MAX_SIZE: number;
  readonly MAX_PER_RUN: number;
}

/** `[actions.artifacts]` */
export const artifactSettings = Joi.object<ArtifactSettings, true>({
  MAX_SIZE: size(10_240).description('Size of one artifact in MiB'),
  MAX_PER_RUN: Joi.number()
    .integer()
    .min(1)
    .default(2000)
    .description('Artifacts, or files of older ones, of one attempt of a run'),
});

interface CacheSettings {
  readonly ENABLED: boolean;
  /** MiB. */
  readonly MAX_ENTRY_SIZE: number;
  /** MiB. */
  readonly MAX_SIZE: number;
  readonly MAX_ENTRIES: number;
  /** Days. */
  readonly RETENTION_DAYS: number;
}

/** `[actions.cache]` */
export const cacheSettings = Joi.object<CacheSettings, true>({
  ENABLED: Joi.boolean().default(true).description('Keep caches of jobs on the server'),
  MAX_ENTRY_SIZE: size(5120).description('Size of one cache in MiB'),
  MAX_SIZE: size(10_240).description('Size of the caches of one repository in MiB; the ones unused longest go first'),
  MAX_ENTRIES: Joi.number().integer().min(1).default(1000).description('Caches of one repository'),
  RETENTION_DAYS: Joi.number().integer().min(1).default(7).description('Days that a cache is kept after its last use'),
});
