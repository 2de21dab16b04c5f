import { createRequire } from 'node:module';
import { Problem } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** A security context of the side that is called. */
export interface Acceptance {
  /** The principal, once the token was accepted. */
  readonly username: string | null;
  /** Gives the token that answers, or null; rejects for tokens that do not hold. */
  step(token: string): Promise<string | null>;
}

/** What is used of the package `kerberos`, which may not be there: it is compiled against the system's GSSAPI. */
export interface KerberosLibrary {
  initializeServer(service: string): Promise<Acceptance>;
}

const name = 'kerberos';
let library: KerberosLibrary | undefined;

/** Problem (503) that says what to do, where it cannot be used. Loaded with the first ticket. */
export function loadKerberos(): KerberosLibrary {
  // of SSPI the package knows the calling side alone
  if (process.platform === 'win32') throw new Problem('unavailable', t.later('error.windows'));
  try {
    library ??= createRequire(import.meta.url)(name) as KerberosLibrary;
    return library;
  } catch (error) {
    throw Object.assign(new Problem('unavailable', t.later('error.library')), { cause: error });
  }
}
