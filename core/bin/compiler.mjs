import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The program `tsc`, to be run with Node (`docs/decisions/0001`). */
export const tsc = join(
  dirname(createRequire(import.meta.url).resolve('typescript-native/package.json')),
  'bin',
  'tsc',
);
