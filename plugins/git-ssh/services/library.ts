import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loaded with the server; where git over SSH is off, nothing needs it. */
export const ssh2 = () => require('ssh2') as typeof import('ssh2');

export const constants = () =>
  require('ssh2/lib/protocol/constants.js') as {
    SUPPORTED_KEX: string[];
    SUPPORTED_CIPHER: string[];
    SUPPORTED_MAC: string[];
  };
