import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  username: 'Packagist-Benutzername',
  token: 'API-Token',
  package: 'URL des Pakets',
  needed: 'Gib den Benutzernamen und das API-Token ein.',
};
