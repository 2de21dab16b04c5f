import { createRequire } from 'node:module';
import { BadRequest, Problem } from '@mortise/plugin-sdk';

// read with the first upload that needs it, not at the start
const require = createRequire(import.meta.url);

/** What the reader tells of a node that it has read; an alias has no kind. */
interface YamlNode {
  readonly kind: string | null;
  readonly result: unknown;
}

/**
 * A listener that bounds what aliases stand for: little YAML can mean gigabytes once it is written out. Characters of texts and keys count, and each value as one; throws {@link BadRequest} beyond `max` in sum.
 */
function aliasBudget(max: number): (event: 'open' | 'close', node: YamlNode) => void {
  let left = max;
  const spend = (value: unknown): void => {
    left -= typeof value === 'string' ? value.length + 1 : 1;
    if (left < 0) throw BadRequest('The YAML repeats too much by aliases.');
    if (typeof value !== 'object' || value === null) return;
    for (const [key, one] of Object.entries(value)) {
      left -= key.length;
      spend(one);
    }
  };
  return (event, { kind, result }) => {
    if (event === 'close' && kind === null) spend(result);
  };
}

export interface YamlReading {
  /** How a refusal names it: `The pubspec.yaml`. */
  readonly what: string;
  /** What aliases may stand for, in characters. */
  readonly maxRepeated: number;
  /** Each scalar is a text, and tags of objects are passed over. */
  readonly asTexts?: boolean;
}

/** What is used of js-yaml, which brings no types. */
interface Schema {
  extend(types: readonly object[]): Schema;
}
interface Yaml {
  readonly FAILSAFE_SCHEMA: Schema;
  readonly CORE_SCHEMA: Schema;
  readonly Type: new (
    tag: string,
    options: { readonly kind: string; readonly multi: boolean; readonly construct: (value: unknown) => unknown },
  ) => object;
  load(
    text: string,
    options: { readonly schema: Schema; readonly json: boolean; readonly listener: ReturnType<typeof aliasBudget> },
  ): unknown;
}

const textsOnly = (yaml: Yaml) =>
  yaml.FAILSAFE_SCHEMA.extend(
    (['scalar', 'sequence', 'mapping'] as const).map(
      (kind) => new yaml.Type('!', { kind, multi: true, construct: (value: unknown) => value }),
    ),
  );

/** Reads YAML of an upload. Whatever is wrong with it is a BadRequest. */
export function readYaml(text: string, { what, maxRepeated, asTexts = false }: YamlReading): unknown {
  const yaml = require('js-yaml') as Yaml;
  try {
    return yaml.load(text, {
      schema: asTexts ? textsOnly(yaml) : yaml.CORE_SCHEMA,
      json: asTexts,
      listener: aliasBudget(maxRepeated),
    });
  } catch (error) {
    if (Problem.is(error)) throw error;
    throw BadRequest(`${what} is no valid YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}
