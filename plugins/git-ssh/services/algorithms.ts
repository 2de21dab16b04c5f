/** What is negotiated when a connection begins: modern by default, anything that the library can on request. */
import type { Algorithms } from 'ssh2';
import { constants } from './library.js';

export type AlgorithmKind = 'kex' | 'cipher' | 'hmac';

const lists = { kex: 'SUPPORTED_KEX', cipher: 'SUPPORTED_CIPHER', hmac: 'SUPPORTED_MAC' } as const;

export const supported = (kind: AlgorithmKind): readonly string[] => constants()[lists[kind]];

const modern: Readonly<Record<AlgorithmKind, readonly string[]>> = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group14-sha256',
  ],
  // ChaCha20 is left out: it is computed outside the crypto library here, at a fraction of the speed of AES
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
};

export function algorithms(wanted: Readonly<Record<AlgorithmKind, readonly string[]>>): Algorithms {
  const choose = (kind: AlgorithmKind) => {
    const names = wanted[kind].length ? wanted[kind] : modern[kind].filter((name) => supported(kind).includes(name));
    return [...names] as never;
  };
  return {
    kex: choose('kex'),
    cipher: choose('cipher'),
    hmac: choose('hmac'),
    // packs are compressed already, and a compressed stream could grow without bounds
    compress: ['none'],
    serverHostKey: [
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
      'ecdsa-sha2-nistp384',
      'ecdsa-sha2-nistp521',
      'rsa-sha2-512',
      'rsa-sha2-256',
    ],
  };
}
