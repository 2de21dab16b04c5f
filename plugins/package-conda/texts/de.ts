import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'about.dependencies': 'Abhängigkeiten',
  'about.license': 'Lizenz: {license}',
  'install.channel': 'Den Server in .condarc eintragen:',
  'install.command': 'Das Paket installieren:',
  'install.platforms': 'Plattformen: {platforms}',
};
