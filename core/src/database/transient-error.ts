import { driverError } from './driver-error.js';

/** Codes of drivers and of the system for a database that is away, has too much to do, or cannot write at the moment. */
const passing = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_QUERY_INTERRUPTED',
  'ER_NEW_ABORTING_CONNECTION',
  'ER_ABORTING_CONNECTION',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  // a node of a cluster that is not in step with the others, or loses them while it commits
  'ER_UNKNOWN_COM_ERROR',
  'ER_ERROR_DURING_COMMIT',
  'ER_LOCK_TABLE_FULL',
  'ER_OUT_OF_RESOURCES',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
]);
/** SQLite tells the same and the reason in one word: SQLITE_IOERR_WRITE. */
const passingInFile = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL|NOMEM)(_|$)/;
const ofPool = new Set(['KnexTimeoutError', 'TimeoutError']);

const isOfDatabase = (error: Error & { code?: unknown; fatal?: unknown; sqlMessage?: unknown; errno?: unknown }) =>
  // Errors of a socket may be those of anything; the driver marks its own.
  error.fatal === true || typeof error.sqlMessage === 'string' || error.constructor.name === 'SqliteError';

const innerOf = (error: Error): unknown => driverError(error) ?? error.cause;

/**
 * Is it a failure of the database that passes by itself, rather than one of the work: it is away, takes no more
 * connections, others kept what was needed for too long, the disk is full? Trying again later may succeed.
 */
export function isTransientError(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = innerOf(error), depth++) {
    if (error.name === 'KnexTimeoutError' || ofPool.has(error.constructor.name)) return true;
    const { code, fatal } = error as { code?: unknown; fatal?: unknown };
    if (!isOfDatabase(error)) continue;
    if (typeof code === 'string' && (passing.has(code) || passingInFile.test(code))) return true;
    // "Can't add new command when connection is in closed state" has no code.
    if (fatal === true && code === undefined) return true;
  }
  return false;
}
