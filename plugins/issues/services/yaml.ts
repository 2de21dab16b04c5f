import { createRequire } from 'node:module';
import { yamlExcess } from '@mortise/plugin-sdk';

const require = createRequire(import.meta.url);

/** Characters of what a file means as JSON, once its aliases are followed. */
const maxMeant = 1_000_000;

/**
 * The data in a YAML text of a repository; throws where it is none, or more than any form needs. The library is read at the
 * first use, not at the start.
 */
export function parseYaml(text: string): unknown {
  const yaml = require('yaml') as typeof import('yaml');
  const excess = yamlExcess(yaml, text);
  if (excess) throw new Error(excess === 'depth' ? 'the file is nested too deeply' : 'the file has too many values');
  const value: unknown = yaml.parse(text, { logLevel: 'error' });
  // throws for an alias that stands in itself
  const json = JSON.stringify(value ?? null);
  if (json.length > maxMeant) throw new Error('the file repeats too much by aliases');
  return JSON.parse(json);
}
