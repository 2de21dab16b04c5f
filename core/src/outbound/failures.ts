const told: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed too early',
  EPIPE: 'the connection was closed too early',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the host could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  EADDRNOTAVAIL: 'the host cannot be reached',
  ETIMEDOUT: 'the host did not answer in time',
};

/** What users may read of a failure: node's own texts name the addresses that a name resolved to. */
export function plainError(error: unknown): unknown {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string') return error;
  const text = told[code] ?? (typeof syscall === 'string' ? `the host cannot be reached (${code})` : undefined);
  return text === undefined ? error : new Error(text, { cause: error });
}
