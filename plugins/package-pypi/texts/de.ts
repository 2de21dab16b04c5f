import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.command': 'Das Paket installieren:',
  'install.upload': 'Eine Version hochladen:',
  'about.requires': 'Benötigt Python {version}',
  'about.yanked': 'Diese Version wurde zurückgezogen: {reason}',
  'about.license': 'Lizenz: {license}',
};
