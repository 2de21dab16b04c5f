import { defineJob } from '@mortise/plugin-sdk';

/** Rebuilds the index files of an owner's registry with unprocessed changes. */
export const buildPackageIndex = defineJob<{ readonly ownerId: number; readonly type: string }>('packages.buildIndex');

/** Evicts entries of the proxy cache beyond its limit. */
export const trimProxyCache = defineJob<Record<string, never>>('packages.trimUpstreams');
