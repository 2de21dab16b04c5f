import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  none: 'Benachrichtigungen',
  one: '{count} ungelesene Benachrichtigung',
  other: '{count} ungelesene Benachrichtigungen',
};
