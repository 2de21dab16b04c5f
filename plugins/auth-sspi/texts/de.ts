import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'kind.sspi': 'SSPI (Kerberos)',
  'field.realms': 'Erlaubte Realms',
  'field.realmsNote':
    'Kerberos-Realms, durch Kommas getrennt, zum Beispiel EXAMPLE.COM. Benutzer anderer Realms können sich nicht anmelden.',
  'field.autoCreateUsers': 'Benutzer automatisch anlegen',
  'field.autoCreateUsersNote': 'Wenn aus, legt ein Administrator die Konten an, mit dem Principal als Anmeldename.',
  'field.autoActivateUsers': 'Benutzer automatisch aktivieren',
  'field.stripDomainNames': 'Domänennamen aus Benutzernamen entfernen',
  'field.stripDomainNamesNote': 'Aus ada@EXAMPLE.COM wird ada.',
  'field.separatorReplacement': 'Trennzeichen anstelle von @',
  'field.separatorReplacementNote': 'Wird verwendet, wenn Domänennamen nicht entfernt werden.',
  'field.defaultLanguage': 'Standardsprache der Benutzer',
  'field.visitorsLanguage': 'Sprache des Browsers',
  'link.submit': 'Mit Kerberos (SSPI) anmelden',
  'refused.title': 'Mit Kerberos (SSPI) anmelden',
  'refused.text':
    'Es wurde kein gültiges Kerberos-Ticket empfangen. Bitte prüfen, ob ein Ticket vorhanden ist und ob der Browser es an diese Website senden darf.',
  'refused.again': 'Erneut versuchen',
  'refused.other': 'Auf andere Weise anmelden',
  'error.token': 'Das Kerberos-Ticket ist nicht gültig.',
  'error.nobody': 'Dieses Kerberos-Konto hat keinen Zugang zu dieser Website.',
  'error.secondFactor':
    'Für dieses Konto ist Zwei-Faktor-Authentifizierung aktiv: bitte auf der Anmeldeseite anmelden oder ein Zugriffstoken verwenden.',
  'error.library':
    'Das Node.js-Paket „kerberos“ ist nicht installiert oder konnte nicht geladen werden. Bitte die Kerberos-Bibliotheken des Systems (libkrb5-dev oder krb5-devel) installieren und npm install erneut ausführen.',
  'error.windows':
    'Das Node.js-Paket „node-expose-sspi“ ist nicht installiert oder konnte nicht geladen werden. Die Anmeldung mit Negotiate braucht es auf Windows-Servern.',
  'error.setup': 'Kerberos ist auf diesem Server nicht richtig eingerichtet.',
  'error.busy': 'Gerade melden sich zu viele gleichzeitig an. Bitte erneut versuchen.',
};
