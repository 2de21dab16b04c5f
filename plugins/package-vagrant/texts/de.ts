import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'about.author': 'Autor: {author}',
  'install.command': 'Die Box hinzufügen:',
  'install.providers': 'Anbieter: {providers}',
};
