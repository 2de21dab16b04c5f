import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The library for YAML, read at the first use and not at the start. */
export const yamlLibrary = () => require('yaml') as typeof import('yaml');
