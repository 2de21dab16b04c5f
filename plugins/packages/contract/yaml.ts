import { createRequire } from 'node:module';
import { BadRequest, yamlExcess } from '@mortise/plugin-sdk';
import type { Document } from 'yaml';

// read with the first upload that needs it, not at the start
const require = createRequire(import.meta.url);

const bounds = { maxDepth: 50, maxTokens: 100_000 };

/** Each is looked up among all nodes, so what thousands of them take grows with their square. */
const maxAliases = 500;
const repeatsTooMuch = 'The YAML repeats too much by aliases.';

interface YamlReading {
  /** How a refusal names it: `The pubspec.yaml`. */
  readonly what: string;
  /** What aliases may stand for, in characters. */
  readonly maxRepeated: number;
  /** Each scalar is a text, and tags of objects are passed over. */
  readonly asTexts?: boolean;
}

/** Reads YAML of an upload. Whatever is wrong with it is a BadRequest. */
export function readYaml(text: string, { what, maxRepeated, asTexts = false }: YamlReading): unknown {
  const yaml = require('yaml') as typeof import('yaml');
  const broken = (why: string) => BadRequest(`${what} is no valid YAML: ${why.split('\n')[0]!.slice(0, 300)}`);
  const excess = yamlExcess(yaml, text, bounds);
  if (excess) throw broken(excess === 'depth' ? 'it is nested too deeply' : 'it has too many values');
  const schema = asTexts ? 'failsafe' : 'core';
  // the library compares each key with each other, so it is done below
  const document = yaml.parseDocument(text, { schema, uniqueKeys: false, logLevel: 'error', prettyErrors: false });
  const problem = document.errors[0]?.message ?? problemOfKeys(yaml, document, !asTexts);
  if (problem) throw broken(problem);
  if (countAliases(yaml, document) > maxAliases) throw BadRequest(repeatsTooMuch);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    throw broken((error as Error).message);
  }
  // aliases are the same objects: little YAML can mean gigabytes once it is written out
  if (!fits(value, text.length + maxRepeated)) throw BadRequest(repeatsTooMuch);
  return value;
}

function countAliases(yaml: typeof import('yaml'), document: Document): number {
  let count = 0;
  yaml.visit(document, { Alias: () => (++count > maxAliases ? yaml.visit.BREAK : undefined) });
  return count;
}

/** Keys are texts; where they are `unique` none stands twice in a mapping. */
function problemOfKeys(yaml: typeof import('yaml'), document: Document, unique: boolean): string | undefined {
  let problem: string | undefined;
  yaml.visit(document, {
    Map(_, map) {
      const keys = map.items.map(({ key }) => (yaml.isScalar(key) ? String(key.value) : undefined));
      if (keys.includes(undefined)) problem = 'a key is no text';
      else if (unique && new Set(keys).size < keys.length) problem = 'a key stands twice';
      return problem ? yaml.visit.BREAK : undefined;
    },
  });
  return problem;
}

/** Has what a value means, written out, at most so many characters? Each value counts as one more. */
function fits(root: unknown, max: number): boolean {
  let left = max;
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    left -= typeof value === 'string' ? value.length + 1 : 1;
    if (left < 0) return false;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, one] of Object.entries(value)) {
      left -= key.length;
      open.push(one);
    }
  }
  return true;
}
