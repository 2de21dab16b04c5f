import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'lfs.menu': 'LFS',
  'lfs.title': 'Git LFS',
  'lfs.saved': 'Die Änderungen wurden gespeichert.',
  'lfs.search': 'Suchen',
  'tab.objects': 'Objekte',
  'tab.pointers': 'Zeigerdateien',
  'tab.locks': 'Sperren',

  'objects.note': 'Große Dateien, die dieses Repository außerhalb seines Verlaufs aufbewahrt: insgesamt {size}.',
  'objects.search': 'Objekt suchen',
  'objects.searchNote': 'Bitte den Anfang des SHA-256-Hashs eingeben.',
  'objects.label': '{count, plural, one {# Objekt} other {# Objekte}}',
  'objects.noMatch': 'Keine passenden Objekte',
  'objects.none': 'Noch keine Objekte',
  'objects.added': 'Hinzugefügt {when}',
  'objects.findFiles': 'Dateien finden',
  'objects.delete': 'Löschen …',
  'objects.deleteOf': '{oid} löschen',
  'objects.deleteNote': 'Der Inhalt geht für alle Zeigerdateien verloren, die darauf verweisen.',
  'objects.deleteSubmit': 'Objekt löschen',

  'pointers.note': 'Dateien auf <b>{branch}</b>, die auf ein LFS-Objekt verweisen.',
  'pointers.search': 'Dateien finden',
  'pointers.searchNote': 'Bitte einen Teil eines Pfads oder SHA-256-Hashs eingeben.',
  'pointers.none': 'Keine passenden Dateien',
  'pointers.missing': 'Objekt fehlt',
  'pointers.size': 'Größe weicht ab',
  'pointers.more': 'Es gibt weitere Dateien. Mit der Suche lässt sich die Liste eingrenzen.',

  'locks.note': 'Eine Sperre hält andere davon ab, die Datei zu ändern: Git LFS weist ihre Pushs der Datei ab.',
  'locks.none': 'Keine Sperren',
  'locks.by': '{name}, {when}',
  'locks.unlock': 'Entsperren',
  'locks.unlockOf': '{path} entsperren',
  'locks.more': 'Weitere Sperren',
  'locks.path': 'Datei sperren',
  'locks.example': 'art/logo.psd',
  'locks.submit': 'Sperren',

  'error.locked': 'Diese Datei ist bereits gesperrt.',
  'error.pathRequired': 'Bitte den Pfad einer Datei eingeben.',
  'error.path': 'Der Pfad muss ein Dateipfad mit höchstens 4.096 Bytes ohne Steuerzeichen sein.',
  'error.noObject': 'Dieses LFS-Objekt ist nicht vorhanden.',
};
