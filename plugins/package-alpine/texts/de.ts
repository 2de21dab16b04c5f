import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'about.dependencies': 'Abhängigkeiten',
  'about.license': 'Lizenz: {license}',
  'install.architectures': 'Architekturen: {architectures}',
  'install.command': 'Das Paket installieren:',
  'install.key': 'Dem Schlüssel der Quelle vertrauen:',
  'install.repository': 'Die Quelle in /etc/apk/repositories eintragen:',
};
