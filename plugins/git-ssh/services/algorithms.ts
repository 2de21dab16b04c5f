/** What is negotiated when a connection begins: modern by default, anything that the library can on request. */
import { createRequire } from 'node:module';
import type { Algorithms } from 'ssh2';

export type AlgorithmKind = 'kex' | 'cipher' | 'hmac';

const constants = createRequire(import.meta.url)('ssh2/lib/protocol/constants.js') as {
  SUPPORTED_KEX: string[];
  SUPPORTED_CIPHER: string[];
  SUPPORTED_MAC: string[];
};
const all: Readonly<Record<AlgorithmKind, readonly string[]>> = {
  kex: constants.SUPPORTED_KEX,
  cipher: constants.SUPPORTED_CIPHER,
  hmac: constants.SUPPORTED_MAC,
};

export const supported = (kind: AlgorithmKind): readonly string[] => all[kind];

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
    const names = wanted[kind].length ? wanted[kind] : modern[kind].filter((name) => all[kind].includes(name));
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
