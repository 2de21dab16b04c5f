import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'state.success': 'Erfolgreich',
  'state.pending': 'Ausstehend',
  'state.failure': 'Fehlgeschlagen',
  'state.error': 'Fehler',
  'state.warning': 'Erfolgreich mit Warnungen',
  'state.skipped': 'Übersprungen',

  'checks.label': 'Prüfungen: {summary}',
  'checks.failed': '{bad, number} von {count, plural, one {# Prüfung} other {# Prüfungen}} fehlgeschlagen',
  'checks.pending': '{waiting, number} von {count, plural, one {# Prüfung} other {# Prüfungen}} ausstehend',
  'checks.passed': '{count, plural, one {Die Prüfung war erfolgreich} other {Alle # Prüfungen waren erfolgreich}}',
  'checks.defaultContext': 'default',
  'checks.details': 'Details',
  'checks.detailsOf': 'Details zu {context}',

  'job.success': 'Erfolgreich nach {time}',
  'job.failure': 'Fehlgeschlagen nach {time}',
  'job.cancelled': 'Abgebrochen nach {time}',
  'job.skipped': 'Übersprungen',
  'job.running': 'Läuft',
  'job.cancelling': 'Wird abgebrochen',
  'job.waiting': 'Wartet auf einen Runner',
  'job.blocked': 'Wartet auf nötige Bedingungen',

  'event.label': 'Commit-Status',
  'event.note': 'Für einen Commit wurde ein Status gesetzt.',
  'event.group': 'Repository',
  'event.line': '{context} ist {state} für {commit} in {repository}',
};
