import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  server: 'URL des Homeservers',
  room: 'Raum-ID',
  token: 'Zugriffstoken',
  type: 'Nachrichtentyp',
  needed: 'Gib die URL des Homeservers und die Raum-ID ein.',
};
