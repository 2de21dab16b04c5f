import { createRequire } from 'node:module';
import { yamlExcess } from '@mortise/plugin-sdk';
import type { Document, Node, Pair, Scalar } from 'yaml';

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
  const document = yaml.parseDocument(text, { logLevel: 'error' });
  if (document.errors[0]) throw document.errors[0];
  yaml.visit(document, {
    Scalar(_, scalar, path) {
      if (isText(yaml, scalar, path.at(-1))) scalar.value = scalar.source;
    },
  });
  const value: unknown = document.toJS();
  // throws for an alias that stands in itself
  const json = JSON.stringify(value ?? null);
  if (json.length > maxMeant) throw new Error('the file repeats too much by aliases');
  return JSON.parse(json);
}

/**
 * Is the value meant as it was written? Numbers that would be written otherwise are, such as `1.10`, and what stands in a
 * list or is the label of something, such as `null` or `True`.
 */
function isText(
  yaml: typeof import('yaml'),
  { value, source }: Scalar,
  parent: Document | Node | Pair | undefined,
): boolean {
  if (!source || typeof value === 'string') return false;
  if (typeof value === 'number' && String(value) !== source) return true;
  return yaml.isSeq(parent) || (yaml.isPair(parent) && yaml.isScalar(parent.key) && parent.key.value === 'label');
}
