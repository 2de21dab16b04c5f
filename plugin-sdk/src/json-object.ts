/** An object as JSON has them: neither a list nor null. */
export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object that a JSON text holds; undefined where it is no JSON, or something else. */
export function parseJsonObject(text: string | Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
