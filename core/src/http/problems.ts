import { Problem, type Text } from '@mortise/plugin-sdk';
import { isTransientError } from '../database/transient-error.js';
import { isStorageFailure, isStorageUnavailable, isTimeout } from '../storage/failures.js';
import { t } from '../texts/index.js';

/** What an error says to the client, whatever was thrown. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The same for pages, in the visitor's language. */
  readonly text: Text;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** A fault of ours: logged. Its message is for administrators if it is a defect (500), else for the log alone. */
  readonly fault: boolean;
  /** Of a fault: what everybody may know. */
  readonly visible?: string;
}

interface BoomLike {
  readonly isBoom: true;
  readonly message: string;
  readonly output: { readonly statusCode: number; readonly headers: Record<string, string> };
}

const isBoom = (value: unknown): value is BoomLike =>
  value instanceof Error && (value as { isBoom?: boolean }).isBoom === true;

/** Translates whatever was thrown; the one place that knows statuses (ERR-20). */
export function refusalOf(thrown: unknown): Refusal {
  if (Problem.is(thrown)) {
    return {
      status: thrown.status,
      message: thrown.message,
      text: thrown.text ?? thrown.message,
      fields: thrown.fields,
      headers: thrown.headers,
      fault: false,
    };
  }
  if (isBoom(thrown) && thrown.output.statusCode < 500) {
    return {
      status: thrown.output.statusCode,
      message: thrown.message,
      // hapi says no more of an address that it cannot decode, and that is the title of the page already
      text: thrown.message === 'Bad Request' ? t.later('error.malformed') : thrown.message,
      fields: {},
      headers: thrown.output.headers,
      fault: false,
    };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const passing = (text: Text, visible: string): Refusal => ({
    status: 503,
    message,
    text,
    visible,
    fields: {},
    headers: { 'retry-after': '10' },
    fault: true,
  });
  if (isStorageFailure(thrown))
    return passing(t.later('error.storage'), 'The server cannot save anything at the moment. Try again later.');
  if (isTransientError(thrown) || isStorageUnavailable(thrown) || isTimeout(thrown))
    return passing(t.later('error.away'), 'The server is not ready at the moment. Try again later.');
  return {
    status: 500,
    message,
    text: t.later('error.server'),
    visible: 'An internal error occurred on the server.',
    fields: {},
    headers: {},
    fault: true,
  };
}
