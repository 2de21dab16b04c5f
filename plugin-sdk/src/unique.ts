import { Invalid, Problem } from './errors.js';
import type { Text } from './language.js';

interface EngineError {
  readonly code?: unknown;
  /** Objection wraps the error of the driver. */
  readonly nativeError?: EngineError;
}

const codes = new Set(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);

/** Has a unique index or a primary key refused a row? The same on every engine. */
export const isUniqueViolation = (error: unknown): boolean => isOneOf(error, codes);

const missingCodes = new Set(['SQLITE_CONSTRAINT_FOREIGNKEY', 'ER_NO_REFERENCED_ROW', 'ER_NO_REFERENCED_ROW_2']);

/** Does a row name another one that is not there, such as one that another request deleted a moment before? */
export const isMissingReference = (error: unknown): boolean => isOneOf(error, missingCodes);

function isOneOf(error: unknown, some: ReadonlySet<string>): boolean {
  for (let one = error as EngineError | undefined; one; one = one.nativeError)
    if (some.has(String(one.code ?? ''))) return true;
  return false;
}

/**
 * Of two requests for the same name at one moment the index lets one through; the other is refused, with Invalid where a
 * text says why.
 */
export async function refuseDuplicate<T>(refusal: Text | Problem, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw Problem.is(refusal) ? refusal : Invalid(refusal);
  }
}

/**
 * Runs the transaction once more, at most three times, when another request stored the same row a moment before: then
 * the work finds it.
 */
export async function retryDuplicate<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 3; ; tries--) {
    try {
      return await work();
    } catch (error) {
      if (tries === 0 || !isUniqueViolation(error)) throw error;
    }
  }
}
