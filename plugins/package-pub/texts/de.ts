import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.token': 'Dem Client das Token nennen:',
  'install.command': 'Das Paket zu einem Projekt hinzufügen:',
  'install.publish': 'Mit <code>publish_to</code> in <code>pubspec.yaml</code> veröffentlichen:',
  'about.sdk': 'Benötigt {name} {range}',
  'about.dependencies': 'Abhängigkeiten',
};
