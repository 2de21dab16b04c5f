import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'clone.menu': 'Code',
  'clone.title': 'Klonen',
  'clone.protocol': 'Protokoll',
  'clone.copy': '{protocol}-Adresse kopieren',
  'clone.token': 'Über {protocol} fragt Git nach Benutzername und Passwort. Als Passwort dient ein Zugriffstoken.',
  'clone.createToken': 'Zugriffstoken generieren',

  'empty.title': 'Dieses Repository ist leer',
  'empty.new': 'Neues Repository auf der Kommandozeile erstellen',
  'empty.push': 'Vorhandenes Repository pushen',
  'empty.copy': 'Befehle kopieren',
};
