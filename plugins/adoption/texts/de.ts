import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'adopt.title': 'Nicht übernommene Repositories',
  'adopt.about':
    'Bare-Repositories, die im Ordner <folder></folder> des Arbeitsverzeichnisses als <path></path> abgelegt wurden. Beim Übernehmen wird daraus ein privates Repository dieses Eigentümers, und der Ordner wird entfernt.',
  'adopt.none': 'Nichts zu übernehmen',
  'adopt.adopt': 'Übernehmen',
  'adopt.adoptOf': '{path} übernehmen',
  'adopt.delete': 'Löschen',
  'adopt.deleteOf': '{path} löschen',
  'adopt.deleteConfirm': 'Den Ordner von {path} löschen? Commits und Dateien darin gehen verloren.',

  'error.admin': 'Nur Administratoren der Website können dies tun.',
  'error.otherOwner': 'Nur Repositories unter dem eigenen Namen können übernommen oder gelöscht werden.',
  'error.nameTaken': 'Ein Repository mit diesem Namen existiert bereits.',
  'error.missing': 'Dieses nicht übernommene Repository existiert nicht.',
};
