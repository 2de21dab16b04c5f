import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.signIn': 'Anmelden, wenn die Pakete nicht öffentlich sind:',
  'install.pull': 'Das Image herunterladen:',
  'install.digest': 'Oder genau dieses:',
  'about.platforms': 'Plattformen: {platforms}',
  'about.attestations': 'Attestierungen: {number}',
  'about.layers': 'Schichten',
  'about.license': 'Lizenz: {license}',
};
