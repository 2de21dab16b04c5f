import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  title: 'Suche',
  label: 'Diese Website durchsuchen',
  kinds: 'Was durchsucht wird',
  code: 'Code',
  commits: 'Commits',
  people: 'Personen',
  isOrganization: 'Organisation',
  isPerson: 'Person',
  repositories: 'Repositories',
  isPrivate: 'Privat',
  isPublic: 'Öffentlich',
  results: '{count, plural, =0 {Keine Ergebnisse} one {# Ergebnis} other {# Ergebnisse}}',
  'none.title': 'Nichts gefunden',
  'none.text':
    'Jedes Wort muss vorkommen. Bitte weniger oder andere Wörter verwenden oder in einem anderen Tab nachsehen.',
  'start.title': 'Wonach wird gesucht?',
  'start.text': 'Wörter werden an ihrem Anfang erkannt, "Wörter in Anführungszeichen" in dieser Reihenfolge.',
};
