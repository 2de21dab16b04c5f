import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  card: 'Karten',
  auto: 'Nach der URL gewählt',
  adaptive: 'Adaptive Karten (Workflows)',
  message: 'Nachrichtenkarten (Connectors)',
};
