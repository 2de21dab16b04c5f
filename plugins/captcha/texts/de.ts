import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'image.alt': 'Bild mit {count} Ziffern',
  'image.label': 'Ziffern im Bild',
  'image.note': 'Das hält Programme fern. Ist das Bild nicht lesbar, hilft die Administration dieser Instanz.',
  'widget.needsScripts': 'Diese Prüfung benötigt JavaScript.',
  'error.unavailable': 'Das Captcha konnte nicht geprüft werden. Bitte später erneut versuchen.',
};
