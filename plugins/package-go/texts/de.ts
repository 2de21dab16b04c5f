import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.proxy': 'Diesen Proxy zuerst fragen:',
  'install.command': 'Das Modul hinzufügen:',
  'about.module': 'Moduldatei',
};
