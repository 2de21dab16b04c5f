import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Media type by the ending of the name. The list is read when first needed: a start does without. */
export const mediaTypeOf = (name: string): string =>
  (require('mime-types') as typeof import('mime-types')).lookup(name) || 'application/octet-stream';
