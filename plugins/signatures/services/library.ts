import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Reading it costs 60 ms, so the start does not wait for it. */
export const openpgp = () => require('openpgp') as typeof import('openpgp');

/** As much again; only where the site signs by an SSH key. */
export const ssh2 = () => require('ssh2') as typeof import('ssh2');
