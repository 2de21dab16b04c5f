import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'about.license': 'Lizenz: {license}',
  'install.architectures': 'Architekturen: {architectures}',
  'install.command': 'Das Paket installieren:',
  'install.repository': 'Die Quelle hinzufügen:',
};
