import { defineJob } from '@mortise/plugin-sdk';

/** Removes the contents of attachments whose rows are gone; `uuids` are of files of releases, as once stored. */
export const removeContents = defineJob<{ readonly keys?: readonly string[]; readonly uuids?: readonly string[] }>(
  'attachments.removeContents',
);
/** Removes contents that no row names. */
export const sweepContents = defineJob<Record<string, never>>('attachments.sweep');
