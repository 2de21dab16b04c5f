import { Problem } from '@mortise/plugin-sdk';

/** What an error says to the client, whatever was thrown. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** A fault of ours: logged, and its message is for administrators only. */
  readonly fault: boolean;
}

interface BoomLike {
  readonly isBoom: true;
  readonly message: string;
  readonly output: { readonly statusCode: number; readonly headers: Record<string, string> };
}

const isBoom = (value: unknown): value is BoomLike =>
  value instanceof Error && (value as { isBoom?: boolean }).isBoom === true;

const lostConnection = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]);

/** The database server is away or takes no more connections; its driver marks such errors as fatal. */
function databaseIsAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { name, code, fatal } = thrown as { name: string; code?: string; fatal?: boolean };
  return name === 'KnexTimeoutError' || (fatal === true && code !== undefined && lostConnection.has(code));
}

/** Translates whatever was thrown; the one place that knows statuses (ERR-20). */
export function refusalOf(thrown: unknown): Refusal {
  if (Problem.is(thrown)) {
    return {
      status: thrown.status,
      message: thrown.message,
      fields: thrown.fields,
      headers: thrown.headers,
      fault: false,
    };
  }
  if (isBoom(thrown) && thrown.output.statusCode < 500) {
    return {
      status: thrown.output.statusCode,
      message: thrown.message,
      fields: {},
      headers: thrown.output.headers,
      fault: false,
    };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return databaseIsAway(thrown)
    ? { status: 503, message, fields: {}, headers: { 'retry-after': '10' }, fault: true }
    : { status: 500, message, fields: {}, headers: {}, fault: true };
}
