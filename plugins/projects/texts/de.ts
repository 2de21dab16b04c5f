import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'error.closed': 'Das Projekt ist geschlossen: Öffnen Sie es wieder, um Spalten und Karten zu ändern.',
  'error.color': 'Eine Farbe wird als #rrggbb geschrieben.',
  'error.columnTwice': 'Eine Spalte ist zweimal genannt.',
  'error.defaultColumn':
    'Die Standardspalte kann nicht gelöscht werden: Machen Sie zuerst eine andere Spalte zur Standardspalte.',
  'error.foreignColumn': 'Die Spalte gehört nicht zu diesem Projekt.',
  'error.foreignIssue':
    'Das Issue kann nicht in diesem Projekt stehen: Es gehört zu einem anderen Repository oder Besitzer.',
  'error.needsWrite': 'Sie brauchen Schreibzugriff auf die Projekte hier.',
  'error.oneOf': '{field} muss eines von diesen sein: {values}',
  'error.publicToken': 'Das Token gilt nur für öffentliche Konten.',
  'error.scope': 'Das Token braucht den Geltungsbereich {scope}.',
  'error.title': 'Ein Titel wird gebraucht.',
  'error.titleLength': 'Der Titel ist länger als {max, number} Zeichen.',
  'error.tooManyCards': 'Ein Projekt fasst höchstens {max, number} Karten.',
  'error.tooManyColumns': 'Ein Projekt hat höchstens {max, number} Spalten.',
  'line.added': '{name} hat dies in {project} zu {column} hinzugefügt {when}',
  'line.addedByRule': '{name} hat dies durch eine Regel in {project} zu {column} hinzugefügt {when}',
  'line.deletedProject': 'einem gelöschten Projekt',
  'line.moved': '{name} hat dies in {project} nach {column} verschoben {when}',
  'line.movedByRule': '{name} hat dies durch eine Regel in {project} nach {column} verschoben {when}',
  'line.removed': '{name} hat dies aus {project} entfernt {when}',
  unit: 'Projekte',
};
