import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'about.author': 'Autor: {author}',
  'about.dependencies': 'Abhängigkeiten',
  'about.license': 'Lizenz: {license}',
  'install.binaries': 'Binärpakete: {kinds}',
  'install.command': 'Das Paket installieren:',
  'install.repository': 'Die Quelle in R hinzufügen:',
};
