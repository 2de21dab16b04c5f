import { createRequire } from 'node:module';
import { Invalid, yamlExcess } from '@mortise/plugin-sdk';

/** Characters that are parsed at once. */
const maxPiece = 256 * 1024;
/** Characters of one element of a list, and of a document that is no list. */
const maxDocument = 16 * 1024 * 1024;
const bounds = { maxDepth: 20, maxTokens: 500_000 };

/** Copies of objects lose it unseen: it would pass every check. */
const prototypeKey = '__proto__';

const require = createRequire(import.meta.url);
/** Read at the first use, not at the start. */
const library = () => require('yaml') as typeof import('yaml');

/** YAML for dumps: times and texts in their shortest form, long lines as they are. */
export const stringifyYaml = (value: unknown): string =>
  library().stringify(value, { schema: 'core', lineWidth: 0, aliasDuplicateObjects: false, version: '1.2' });

/**
 * The data in a document of a dump. Times stay texts; anchors that are followed, tags and repeated keys are refused: dumps
 * have no use for them.
 */
export function parseYaml(text: string, name: string): unknown {
  if (text.length > maxDocument) throw Invalid(`${name} is too long.`);
  const yaml = library();
  const excess = yamlExcess(yaml, text, bounds);
  if (excess)
    throw Invalid(`${name} ${excess === 'depth' ? 'is nested too deeply' : 'has too many values at one place'}.`);
  // the library would compare each key with each other
  const document = yaml.parseDocument(text, { schema: 'core', logLevel: 'error', uniqueKeys: false, strict: true });
  const problem = document.errors[0]?.message ?? document.warnings[0]?.message ?? misuseIn(yaml, document);
  if (problem) throw Invalid(`${name} cannot be read: ${problem.slice(0, 300)}`);
  return document.toJS({ maxAliasCount: 0 });
}

function misuseIn(yaml: typeof import('yaml'), document: import('yaml').Document.Parsed): string | undefined {
  let misuse: string | undefined;
  yaml.visit(document, {
    Alias() {
      misuse = 'it repeats values by aliases';
      return yaml.visit.BREAK;
    },
    Map(_, map) {
      const keys = map.items.map(({ key }) => (yaml.isScalar(key) ? key.value : undefined));
      const isPlain = keys.every((key) => typeof key === 'string' && key !== prototypeKey);
      if (isPlain && new Set(keys).size === keys.length) return undefined;
      misuse = 'a property stands twice in one place, or has a name that none has';
      return yaml.visit.BREAK;
    },
  });
  return misuse;
}

export function parseJson(text: string, name: string): unknown {
  if (text.length > maxDocument) throw Invalid(`${name} is too long.`);
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === prototypeKey) throw new Error(`it has the property ${key}`);
      return value;
    });
  } catch (error) {
    throw Invalid(`${name} cannot be read: ${(error as Error).message.slice(0, 300)}`);
  }
}

/**
 * The elements of a document that is a list, some at a time, so that a list of any length can be read. An element of a list
 * begins with `-` at the beginning of a line, and nothing inside of one does (YAML 1.2.2, 8.2.1); other forms of lists are
 * read at once.
 */
export async function* readYamlList(lines: AsyncIterable<string>, name: string): AsyncGenerator<unknown[]> {
  let elementLines: string[] = [];
  let length = 0;
  for await (const line of lines) {
    const isElement = line.startsWith('- ') || line === '-';
    if (isElement && length >= maxPiece) {
      yield listIn(elementLines.join('\n'), name);
      elementLines = [];
      length = 0;
    }
    elementLines.push(line);
    length += line.length + 1;
    if (length > maxDocument) throw Invalid(`${name} has an element that is too long.`);
  }
  if (length) yield listIn(elementLines.join('\n'), name);
}

function listIn(text: string, name: string): unknown[] {
  const data = parseYaml(text, name);
  if (data === null || data === undefined) return [];
  if (!Array.isArray(data)) throw Invalid(`${name} must be a list.`);
  return data;
}
