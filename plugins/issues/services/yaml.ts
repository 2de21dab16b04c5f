import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The data in a YAML text; throws where it is none. The library is read at the first use, not at the start. */
export const parseYaml = (text: string): unknown =>
  (require('yaml') as typeof import('yaml')).parse(text, { logLevel: 'error' });
