import { existsSync } from 'node:fs';
import { Problem, type Site } from '@mortise/plugin-sdk';
import type { SspiSettings } from '../settings.js';
import type { KerberosLibrary } from './library.js';

/** As GSSAPI names services that belong to a host. */
export const serviceOf = ({ SERVICE_NAME }: Pick<SspiSettings, 'SERVICE_NAME'>, { rootUrl }: Site): string =>
  SERVICE_NAME || `HTTP@${new URL(rootUrl).hostname}`;

/** The libraries of Kerberos are told by the environment alone. */
export function useKeytab(file: string): void {
  if (file) process.env.KRB5_KTNAME = `FILE:${file}`;
}

/** Throws what keeps tickets for the service from being checked: no library, no keytab, no key in it. */
export async function tryService(load: () => KerberosLibrary, service: string): Promise<void> {
  const file = process.env.KRB5_KTNAME?.replace(/^FILE:/, '');
  const library = load();
  try {
    await library.initializeServer(service);
  } catch (error) {
    const why = file && !existsSync(file) ? `${file} does not exist` : (error as Error).message;
    throw new Problem('unavailable', `Kerberos tickets for ${service} cannot be checked: ${why}`);
  }
}
