import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'install.configure': 'Die Registry einrichten:',
  'install.command': 'Das Paket in <code>Package.swift</code> eintragen:',
  'install.publish': 'Eine Version veröffentlichen:',
  'about.license': 'Lizenz: {license}',
  'about.author': 'Autor: {author}',
  'about.tools': 'Version der Swift-Werkzeuge: {version}',
  'about.signed': 'Diese Version ist signiert.',
};
