import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'error.needsWrite': 'Nur wer in dieses Repository schreiben darf, kann Zeit erfassen.',
  'error.notRunning': 'Auf diesem Issue läuft keine Stoppuhr.',
  'error.off': 'Die Zeiterfassung ist ausgeschaltet.',
  'error.otherTimes': 'Die Zeiten anderer können hier nicht gesehen oder geändert werden.',
  'error.running': 'Auf diesem Issue läuft schon eine Stoppuhr.',
  'error.time': '{field} muss ein Zeitpunkt nach RFC 3339 sein, zum Beispiel 2030-01-31T12:00:00Z.',
};
