import { Invalid } from '@mortise/plugin-sdk';
import type { Acceptance, KerberosLibrary } from './library.js';

interface SecurityBuffers {
  readonly ulVersion: number;
  readonly buffers: readonly ArrayBuffer[];
}

/** What is used of the package `node-expose-sspi`: functions of Windows by their own names. */
export interface WindowsSspi {
  AcquireCredentialsHandle(of: { packageName: 'Negotiate'; credentialUse: 'SECPKG_CRED_INBOUND' }): {
    readonly credential: object;
    readonly tsExpiry: Date;
  };
  FreeCredentialsHandle(credential: object): void;
  AcceptSecurityContext(of: { credential: object; SecBufferDesc: SecurityBuffers }): {
    readonly SECURITY_STATUS: string;
    readonly contextHandle?: object;
    readonly SecBufferDesc: SecurityBuffers;
  };
  QueryContextAttributes(context: object, attribute: 'SECPKG_ATTR_NAMES'): { readonly sUserName?: unknown };
  DeleteSecurityContext(context: object): void;
}

const bytesOf = (token: string): ArrayBuffer => {
  const bytes = Buffer.from(token, 'base64');
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
};

/** `DOMAIN\name`, as Windows says who somebody is, as the principal `name@DOMAIN`; empty for anything else. */
export function principalOf(windowsName: unknown): string {
  const [, domain, name] = (typeof windowsName === 'string' && /^([^\\]+)\\([^\\]+)$/.exec(windowsName)) || [];
  return domain && name ? `${name}@${domain}` : '';
}

/**
 * Tickets checked by Windows itself, with the keys of the account that the server runs as (`setspn`): the name of the
 * service is not asked for. A ticket is accepted in one step; NTLM, which takes more, is refused.
 */
export class WindowsKerberos implements KerberosLibrary {
  #held: { readonly credential: object; readonly tsExpiry: Date } | undefined;

  constructor(private readonly sspi: WindowsSspi) {}

  initializeServer(): Promise<Acceptance> {
    // Whatever Windows throws is a rejection here.
    return Promise.resolve().then(() => {
      const credential = this.#credential();
      let username: string | null = null;
      return {
        get username() {
          return username;
        },
        step: (token) =>
          Promise.resolve().then(() => {
            const { name, answer } = this.#accept(credential, token);
            username = name;
            return answer;
          }),
      };
    });
  }

  #accept(credential: object, token: string): { name: string; answer: string | null } {
    const { sspi } = this;
    const accepted = sspi.AcceptSecurityContext({
      credential,
      SecBufferDesc: { ulVersion: 0, buffers: [bytesOf(token)] },
    });
    const { contextHandle: context, SECURITY_STATUS: status } = accepted;
    try {
      if (status !== 'SEC_E_OK' || !context) throw Invalid(`Windows says ${status}.`);
      const name = principalOf(sspi.QueryContextAttributes(context, 'SECPKG_ATTR_NAMES').sUserName);
      if (!name) throw Invalid('Windows did not name a user.');
      const [answer] = accepted.SecBufferDesc.buffers;
      return { name, answer: answer?.byteLength ? Buffer.from(answer).toString('base64') : null };
    } finally {
      if (context) sspi.DeleteSecurityContext(context);
    }
  }

  #credential(): object {
    if (this.#held && this.#held.tsExpiry.getTime() > Date.now()) return this.#held.credential;
    const { sspi } = this;
    const before = this.#held;
    this.#held = sspi.AcquireCredentialsHandle({ packageName: 'Negotiate', credentialUse: 'SECPKG_CRED_INBOUND' });
    if (before) sspi.FreeCredentialsHandle(before.credential);
    return this.#held.credential;
  }
}
