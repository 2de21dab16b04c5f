import { defineJob } from '@mortise/plugin-sdk';

/** Makes the index files of an owner's registry anew, where a change was noted and nobody has done so. */
export const buildPackageIndex = defineJob<{ readonly ownerId: number; readonly type: string }>('packages.buildIndex');

/** Makes room where more is kept of upstreams than may be. */
export const trimUpstreams = defineJob<Record<string, never>>('packages.trimUpstreams');
