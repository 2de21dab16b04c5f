import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'footer.sentBy': 'Gesendet von {site}',
  'footer.reason': 'Anlass dieser E-Mail: {reason}',
  'footer.unsubscribe': 'Abbestellen',

  'test.subject': 'Test-E-Mail von {site}',
  'test.text': 'Dies ist eine Test-E-Mail. {site} kann E-Mails senden.',

  'error.address': 'Eine gültige E-Mail-Adresse eingeben.',
  'error.disabled': 'E-Mail ist deaktiviert. Aktiviert wird es im Abschnitt [mailer] der Konfiguration.',
  'error.test': 'Die E-Mail konnte nicht gesendet werden: {reason}',
};
