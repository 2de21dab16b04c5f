import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'about.appVersion': 'Version der Anwendung: {version}',
  'about.dependencies': 'Abhängigkeiten',
  'about.keywords': 'Schlagwörter: {keywords}',
  'install.command': 'Das Chart installieren:',
  'install.repository': 'Die Quelle hinzufügen:',
};
