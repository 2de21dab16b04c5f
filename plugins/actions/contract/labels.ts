import { createHash } from 'node:crypto';

/** Stands for a set of labels, whatever their order: jobs that ask for the same have the same key. 64 hex digits. */
export const runsOnKey = (labels: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([...new Set(labels)].sort()))
    .digest('hex');
