import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'error.name': 'Der Proxy meldet Sie mit einem Namen an, den kein Konto haben kann.',
};
