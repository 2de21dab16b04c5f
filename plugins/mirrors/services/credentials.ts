import type { Vault } from '@mortise/plugin-sdk';
import type { RemoteCredentials } from '@mortise/git/api';

/** Credentials of mirrors as they are stored: encrypted, empty where there are none. */
export class CredentialCipher {
  constructor(private readonly vault: Vault) {}

  encrypt(credentials: RemoteCredentials): string {
    const { username = '', password = '', privateKey = '' } = credentials;
    return username || password || privateKey ? this.vault.seal(JSON.stringify(credentials)) : '';
  }

  decrypt(encrypted: string): RemoteCredentials {
    const text = this.vault.open(encrypted);
    return text ? (JSON.parse(text) as RemoteCredentials) : {};
  }
}
