import { createRequire } from 'node:module';
import { Problem } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import { WindowsKerberos, type WindowsSspi } from './windows.js';

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

/** What is loaded where: on Windows its own SSPI, elsewhere GSSAPI. */
interface LibraryEnvironment {
  readonly platform: NodeJS.Platform;
  require(name: string): unknown;
}
const here: LibraryEnvironment = { platform: process.platform, require: createRequire(import.meta.url) };

/** Problem (503) that says what to do, where it cannot be used. */
export function makeLibrary({ platform, require }: LibraryEnvironment): KerberosLibrary {
  const isWindows = platform === 'win32';
  try {
    // the package is for Windows alone, and nothing of it is loaded elsewhere
    if (isWindows)
      return new WindowsKerberos((require('node-expose-sspi/lib/api.js') as { readonly sspi: WindowsSspi }).sspi);
    return require('kerberos') as KerberosLibrary;
  } catch (error) {
    const text = t.later(isWindows ? 'error.windows' : 'error.library');
    throw Object.assign(new Problem('unavailable', text), { cause: error });
  }
}

let library: KerberosLibrary | undefined;

/** The library of this machine; loaded with the first ticket. */
export const loadKerberos = (): KerberosLibrary => (library ??= makeLibrary(here));
