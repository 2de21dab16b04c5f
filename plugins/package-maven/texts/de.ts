import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.repository': 'Das Repository in <code>pom.xml</code> eintragen:',
  'install.dependency': 'Die Abhängigkeit eintragen:',
  'install.command': 'Oder herunterladen:',
  'about.license': 'Lizenz: {license}',
  'about.dependencies': 'Abhängigkeiten',
};
