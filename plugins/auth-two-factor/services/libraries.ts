import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

// Loaded when somebody first uses a second factor: a start does without.

export const otpauth = () => require('otpauth') as typeof import('otpauth');
export const uqr = () => require('uqr') as typeof import('uqr');
