import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.registry': 'Die Registry in <code>.npmrc</code> eintragen:',
  'install.command': 'Das Paket installieren:',
  'install.manifest': 'Oder in <code>package.json</code> eintragen:',

  'about.deprecated': 'Veraltet: {reason}',
  'about.license': 'Lizenz: {license}',
  'about.repository': 'Repository:',
  'about.dependencies': 'Abhängigkeiten',
  'about.peerDependencies': 'Peer-Abhängigkeiten',
  'about.optionalDependencies': 'Optionale Abhängigkeiten',
  'about.devDependencies': 'Entwicklungsabhängigkeiten',
};
