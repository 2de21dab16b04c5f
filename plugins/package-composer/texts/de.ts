import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.configure': 'Das Repository in <code>composer.json</code> eintragen:',
  'install.command': 'Das Paket zu einem Projekt hinzufügen:',
  'install.upload': 'Eine Version hochladen:',
  'about.license': 'Lizenz: {license}',
  'about.authors': 'Autoren: {authors}',
  'about.dependencies': 'Abhängigkeiten',
};
