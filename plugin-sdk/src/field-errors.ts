import { Invalid, Problem } from './errors.js';
import { textOf, type Text } from './language.js';

/** What is wrong with which field, by the name that the form or the API gives it. */
type FieldErrors = Readonly<Record<string, Text>>;

/** Shared by all installed copies of the SDK, as the language is. */
const state = ((globalThis as Record<symbol, unknown>)[Symbol.for('mortise.fieldErrors')] ??= {}) as {
  current?: FieldErrors;
};

/** Fields that `work` renders show what is wrong with them. For the kernel; `work` is synchronous. */
export function withFieldErrors<T>(errors: FieldErrors | undefined, work: () => T): T {
  const before = state.current;
  state.current = errors;
  try {
    return work();
  } finally {
    state.current = before;
  }
}

/** What is wrong with a field of the page that is being rendered; undefined where nothing is. */
export function fieldError(name: string): string | undefined {
  const errors = state.current;
  return errors && Object.hasOwn(errors, name) ? textOf(errors[name]!) : undefined;
}

/** A refusal that forms show at the field that it is about. */
export const refusedField = (name: string, message: Text): Problem => Invalid(message, { inputs: { [name]: message } });

/**
 * Runs a check for each field and refuses all at once: whoever fills in a form learns everything that is wrong with it.
 * What a check throws that is no refusal, or one for trying too often, is thrown as it is.
 *
 * @throws Invalid with `inputs` for the fields whose checks refused
 */
export async function checkFields(checks: Readonly<Record<string, () => unknown>>): Promise<void> {
  const refused: [string, Problem][] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
    } catch (error) {
      // who is to wait need not learn what else is wrong
      if (!Problem.is(error) || error.code === 'too_many') throw error;
      refused.push([name, error]);
    }
  }
  if (refused.length === 0) return;
  throw new Problem('invalid', refused.map(([, { message }]) => message).join(' '), {
    text: () => refused.map(([, { text }]) => textOf(text)).join(' '),
    inputs: Object.fromEntries(refused.map(([name, { text }]) => [name, text])),
  });
}
