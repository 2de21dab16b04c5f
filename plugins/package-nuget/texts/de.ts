import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.configure': 'Die Quelle eintragen:',
  'install.command': 'Das Paket zu einem Projekt hinzufügen:',
  'install.push': 'Eine Version veröffentlichen:',
  'about.license': 'Lizenz: {license}',
  'about.authors': 'Autoren: {authors}',
  'about.dependencies': 'Abhängigkeiten',
};
