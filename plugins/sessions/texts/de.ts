import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'signIn.title': 'Anmelden',
  'signIn.new': 'Neu hier? <link>Konto erstellen</link>',
  'signIn.name': 'Benutzername oder E-Mail-Adresse',
  'signIn.password': 'Passwort',
  'signIn.remember': 'Angemeldet bleiben',
  'signIn.noWay': 'Hier ist keine Anmeldung möglich. Die Administration kann weiterhelfen.',
  'signIn.submit': 'Anmelden',

  'register.title': 'Konto erstellen',
  'register.first': 'Erstes Konto erstellen',
  'register.firstNote': 'Das erste Konto wird Administrator dieser Website.',
  'register.existing': 'Bereits registriert? <link>Anmelden</link>',
  'register.name': 'Benutzername',
  'register.nameNote': 'Erlaubt sind Buchstaben, Ziffern, „-“, „_“ und „.“; keine zwei Sonderzeichen in Folge.',
  'register.email': 'E-Mail-Adresse',
  'register.password': 'Passwort',
  'register.confirm': 'Passwort bestätigen',
  'register.submit': 'Konto erstellen',
  'register.awaitsActivation':
    'Das Konto wurde erstellt. Vor der ersten Anmeldung muss es von einem Administrator aktiviert werden.',

  'newPassword.title': 'Passwort ändern',
  'newPassword.text': 'Das Passwort dieses Kontos muss geändert werden, bevor es weitergeht.',
  'newPassword.new': 'Neues Passwort',
  'newPassword.confirm': 'Neues Passwort bestätigen',
  'newPassword.submit': 'Passwort ändern',

  'menu.label': 'Kontomenü von {name}',
  'menu.signedIn': 'Angemeldet als <b>{name}</b>',
  'menu.profile': 'Eigenes Profil',
  'menu.dashboard': 'Dashboard',
  'menu.settings': 'Einstellungen',
  'menu.admin': 'Website-Administration',
  'menu.signOut': 'Abmelden',
  'menu.signIn': 'Anmelden',
  'menu.register': 'Konto erstellen',

  'sessions.title': 'Sitzungen',
  'sessions.heading': 'Aktive Sitzungen',
  'sessions.none': 'Keine aktiven Sitzungen',
  'sessions.unknown': 'Unbekannte Adresse',
  'sessions.current': 'Diese Sitzung',
  'sessions.times': 'Angemeldet {since}, zuletzt aktiv {used}',
  'sessions.end': 'Abmelden',
  'sessions.endOf': 'Sitzung von {address} abmelden',
  'sessions.ended': 'Die Sitzung wurde beendet.',

  'error.credentials': 'Benutzername oder Passwort ist falsch.',
  'error.noPasswordForm': 'Die Anmeldung mit Passwort ist auf dieser Website deaktiviert.',
  'error.passwordMismatch': 'Die Passwörter stimmen nicht überein.',
  'error.passwordSame': 'Das neue Passwort muss sich vom aktuellen unterscheiden.',
  'error.closed': 'Die Registrierung ist deaktiviert. Konten werden von den Administratoren dieser Website vergeben.',
  'error.domain': 'Mit E-Mail-Adressen dieser Domain kann kein Konto erstellt werden.',
};
