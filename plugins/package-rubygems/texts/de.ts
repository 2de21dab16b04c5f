import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.command': 'Das Gem installieren:',
  'install.bundler': 'Oder in ein Gemfile aufnehmen:',
  'install.push': 'Eine Version veröffentlichen:',
  'about.license': 'Lizenz: {license}',
  'about.authors': 'Autoren: {authors}',
  'about.dependencies': 'Abhängigkeiten',
  'about.platforms': 'Plattformen: {platforms}',
};
