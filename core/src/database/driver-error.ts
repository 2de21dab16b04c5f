/** The error of the driver that objection wrapped in one of its own; undefined: it is none of those. */
export const driverError = (error: unknown): unknown =>
  error instanceof Error ? (error as { readonly nativeError?: unknown }).nativeError : undefined;

/** The code of an error of the driver, wrapped or not; empty where it has none. */
export function codeOf(error: unknown): string {
  for (let one = error; one instanceof Error; one = driverError(one))
    if ('code' in one && one.code !== undefined) return String(one.code);
  return '';
}
