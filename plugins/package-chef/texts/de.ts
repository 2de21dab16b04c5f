import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'about.dependencies': 'Abhängigkeiten',
  'about.license': 'Lizenz: {license}',
  'about.maintainer': 'Betreut von: {maintainer}',
  'install.command': 'Das Cookbook installieren:',
  'install.settings': 'Die Adresse in die Einstellungen von knife (config.rb) eintragen:',
};
