import type { Encryption } from '@mortise/plugin-sdk';
import type { RemoteCredentials } from '@mortise/git/api';

/** Credentials of mirrors as they are stored: encrypted, empty where there are none. */
export class CredentialCipher {
  constructor(private readonly encryption: Encryption) {}

  encrypt(credentials: RemoteCredentials): string {
    const { username = '', password = '', privateKey = '' } = credentials;
    return username || password || privateKey ? this.encryption.encrypt(JSON.stringify(credentials)) : '';
  }

  decrypt(encrypted: string): RemoteCredentials {
    const text = this.encryption.decrypt(encrypted);
    return text ? (JSON.parse(text) as RemoteCredentials) : {};
  }
}
