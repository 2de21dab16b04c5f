import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'error.name': 'Die Anmeldung durch den Proxy nennt einen Namen, den kein Konto haben kann.',
};
