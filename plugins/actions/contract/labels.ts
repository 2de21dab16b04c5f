import { createHash } from 'node:crypto';

/** Key of a set of labels, independent of their order. 64 hex digits. */
export const runsOnKey = (labels: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([...new Set(labels)].sort()))
    .digest('hex');
