import { Invalid } from '@mortise/plugin-sdk';

const duplicates = new Set(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);

interface EngineError {
  readonly code?: unknown;
  readonly nativeError?: EngineError;
}

/** Of two requests for the same key at one moment, the index lets one through; the other is told in words. */
export async function uniquely<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    for (let one = error as EngineError | undefined; one; one = one.nativeError)
      if (duplicates.has(String(one.code ?? ''))) throw Invalid(message);
    throw error;
  }
}
