import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'artifacts.delete': 'Löschen',
  'artifacts.deleteConfirm': 'Das Artefakt {name} wird endgültig gelöscht.',
  'artifacts.deleteOf': '{name} löschen',
  'artifacts.expired': 'Abgelaufen',
  'artifacts.expires': 'Läuft {when} ab',
  'artifacts.title': 'Artefakte',
  'summaries.of': 'Zusammenfassung von {name}',
};
