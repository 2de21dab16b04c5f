import { Invalid, type Text } from '@mortise/plugin-sdk';

/** Is this what an engine says when a unique index refuses a row? */
function isDuplicate(error: unknown): boolean {
  for (
    let one = error as { code?: unknown; nativeError?: unknown } | undefined;
    one;
    one = one.nativeError as typeof one
  ) {
    const code = String(one.code ?? '');
    if (code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
      return true;
  }
  return false;
}

/** Of two requests for the same name at one moment, the index lets one through; the other is told in words. */
export async function uniquely<T>(message: Text, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDuplicate(error) ? Invalid(message) : error;
  }
}
