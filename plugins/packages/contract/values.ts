/** What formats keep of what publishers say. */

const maxDepth = 10;

/** JSON without fields and entries that are null, which many clients write for none; what lies very deep is left as it is. */
export function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth >= maxDepth) return value;
  if (Array.isArray(value)) return value.filter((one) => one !== null).map((one) => withoutNulls(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== null)
      .map(([key, one]) => [key, withoutNulls(one, depth + 1)]),
  );
}

/** Signs of a text, of a description, and of an entry of a list. */
const [maxText, maxDescription, maxEntry] = [5000, 20_000, 300];
const maxEntries = 200;

/**
 * What a package says of itself, as far as its page shows it: long texts and lists are cut, so that a package is not refused
 * for them. An address that is too long is left out.
 */
export function brief<T extends Readonly<Record<string, string | boolean | readonly string[]>>>(
  values: T,
): Readonly<Record<string, unknown>> {
  const cut = (text: string, max: number) =>
    text.length <= max ? text : /^https?:/i.test(text) ? '' : text.slice(0, max);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (typeof value === 'boolean') return [key, value];
      if (typeof value === 'string') return [key, cut(value, key === 'description' ? maxDescription : maxText)];
      return [
        key,
        value
          .map((entry) => cut(entry, maxEntry))
          .filter(Boolean)
          .slice(0, maxEntries),
      ];
    }),
  );
}
