import { BadRequest, Problem } from './errors.js';

/** Codes of streams, decompressors and connections that break while a client sends. */
const clientCodes = /^(?:ERR_|Z_|HPE_|ECONNRESET$|EPIPE$|ABORT_ERR$)/;

/**
 * What to throw when the body of a request could not be read: 400 with `text` and the reason where the client is at fault.
 * A failure of this server (a full disk, a store that does not answer) stays what it is, since its message is not for clients.
 */
export function unreadableBody(error: unknown, text = 'The request body could not be read'): Error {
  if (Problem.is(error)) return error;
  if (!(error instanceof Error)) return BadRequest(`${text}.`);
  const { code, message } = error as NodeJS.ErrnoException;
  const isOfClient = (code === undefined || clientCodes.test(code)) && !('$metadata' in error);
  return isOfClient ? BadRequest(`${text}: ${message}`) : error;
}
