import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'error.nameMissing': 'Bitte einen Namen für die Datei eingeben.',
  'error.nameLong': 'Ein Dateiname darf höchstens 255 Zeichen lang sein.',
  'error.type': 'Dateien dieses Typs sind nicht erlaubt: {name}.',
  'error.size': 'Eine Datei darf höchstens {size} groß sein.',
  'error.url':
    'Der externe Link (external_url) muss eine gültige Adresse sein, die mit http:// oder https:// beginnt und kein Passwort enthält.',
  'error.urlLong': 'Der externe Link (external_url) darf höchstens 2.000 Zeichen lang sein.',
};
