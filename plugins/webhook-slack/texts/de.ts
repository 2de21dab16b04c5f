import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  channel: 'Kanal',
  username: 'Benutzername',
  icon: 'Icon-URL',
  color: 'Farbe',
  colorHelp: 'Neben den Commits eines Pushs.',
};
