import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.configure': 'Das Remote eintragen:',
  'install.command': 'Das Paket installieren:',
  'install.upload': 'Eine Version hochladen:',
  'about.license': 'Lizenz: {license}',
  'about.author': 'Autor: {author}',
  'about.references': 'Rezepte',
  'about.revisions': '{count, plural, one {# Revision} other {# Revisionen}}',
};
