export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const modelPrefix = '#/definitions/';

/** Name of the model that a reference leads to. */
export const modelNamed = (reference: unknown): string | undefined =>
  typeof reference === 'string' && reference.startsWith(modelPrefix)
    ? decodeURIComponent(reference.slice(modelPrefix.length))
    : undefined;

/** A copy in which `change` has seen every object, the innermost first. */
export function rewritten(value: unknown, change: (fields: Fields) => Fields): unknown {
  if (Array.isArray(value)) return value.map((one) => rewritten(one, change));
  if (!isFields(value)) return value;
  return change(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rewritten(inner, change)])));
}
