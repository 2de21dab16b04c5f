import { isFields, modelNamed, type Fields } from './rewrite.js';
import type { SwaggerDocument } from './shapes.js';

/**
 * hapi-swagger makes a named definition of every list and every enumeration; only objects deserve a name. The others
 * are put where they are used.
 */
export function inlineSimpleDefinitions(document: SwaggerDocument): void {
  const definitions = (document.definitions ?? {}) as Record<string, Fields>;
  const simple = new Set(Object.keys(definitions).filter((name) => definitions[name]!.type !== 'object'));

  const replaced = (value: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => replaced(one, within));
    if (!isFields(value)) return value;
    const name = modelNamed(value.$ref);
    if (name !== undefined) {
      // a list that contains itself keeps its name
      if (!simple.has(name) || within.includes(name)) return value;
      return replaced(definitions[name], [...within, name]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner, within)]));
  };

  document.paths = replaced(document.paths, []) as SwaggerDocument['paths'];
  const kept = Object.entries(definitions).filter(([name]) => !simple.has(name));
  document.definitions = Object.fromEntries(
    kept.map(([name, value]) => [name, replaced(value, [])]),
  ) as SwaggerDocument['definitions'];
}
