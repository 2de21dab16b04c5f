import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'signIn.title': 'Anmelden',
  'signIn.new': 'Neu hier? <link>Konto erstellen</link>',
  'signIn.name': 'Benutzername oder E-Mail-Adresse',
  'signIn.password': 'Passwort',
  'signIn.remember': 'Angemeldet bleiben',
  'signIn.noWay': 'Hier ist keine Anmeldung möglich. Die Administration kann weiterhelfen.',
  'signIn.forgot': 'Passwort vergessen?',
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

  'forgot.title': 'Passwort vergessen',
  'forgot.text':
    'Die E-Mail-Adresse des Kontos eingeben. An sie wird ein Link gesendet, mit dem ein neues Passwort gewählt werden kann.',
  'forgot.submit': 'E-Mail senden',
  'forgot.sent':
    'Falls es ein Konto mit der Adresse <b>{email}</b> gibt, wurde eine E-Mail mit einem Link zur Wahl eines neuen Passworts dorthin gesendet.',
  'forgot.back': 'Zurück zur Anmeldung',

  'recover.title': 'Neues Passwort wählen',
  'recover.text': 'Neues Passwort für das Konto <b>{name}</b>. Alle Sitzungen des Kontos werden beendet.',
  'recover.again': 'Neuen Link anfordern',
  'recover.done': 'Das Passwort wurde geändert. Damit ist jetzt die Anmeldung möglich.',

  'activate.title': 'Konto aktivieren',
  'activate.text': 'Zum Aktivieren das Passwort des Kontos <b>{name}</b> eingeben.',
  'activate.submit': 'Konto aktivieren',
  'activate.resendText':
    'Dieses Konto muss über den Link in der Bestätigungs-E-Mail aktiviert werden. Ist sie nicht angekommen, kann eine neue angefordert werden.',
  'activate.resend': 'Bestätigungs-E-Mail erneut senden',
  'activate.sent': 'An {email} wurde eine Bestätigungs-E-Mail gesendet. Der Link darin aktiviert das Konto.',
  'link.void': 'Dieser Link ist ungültig oder abgelaufen.',

  'mail.recoverSubject': 'Neues Passwort für {site} wählen',
  'mail.recoverText':
    'Für das Konto {name} auf {site} wurde ein neues Passwort angefordert. Hier kann es gewählt werden:',
  'mail.recoverLink': 'Neues Passwort wählen',
  'mail.recoverIgnore':
    'Wurde es von jemand anderem angefordert, kann diese E-Mail ignoriert werden. Das Passwort bleibt unverändert.',
  'mail.expires': 'Der Link läuft in {minutes, plural, one {# Minute} other {# Minuten}} ab.',

  'menu.label': 'Kontomenü von {name}',
  'menu.signedIn': 'Angemeldet als <b>{name}</b>',
  'menu.profile': 'Eigenes Profil',
  'menu.dashboard': 'Dashboard',
  'menu.settings': 'Einstellungen',
  'menu.admin': 'Website-Administration',
  'menu.signOut': 'Abmelden',
  'first.create': 'Das erste Konto erstellen',
  'first.administrator': 'Es wird das Konto der Administration dieser Seite.',
  'first.command': 'Das erste Konto wird auf dem Server erstellt: {command}',

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
  'error.captcha': 'Das Captcha wurde nicht gelöst. Bitte erneut versuchen.',
  'error.noPasswordForm': 'Die Anmeldung mit Passwort ist auf dieser Website deaktiviert.',
  'error.password': 'Das Passwort ist falsch.',
  'error.signInAgain': 'Bitte für diese Änderung ab- und wieder anmelden.',
  'error.sourceOff': 'Die Anmeldung ist für dieses Konto deaktiviert.',
  'error.knownAlready': 'Es gibt hier bereits ein passendes Konto. Bitte erneut anmelden.',
  'error.mailMany': 'Es wurden zu viele E-Mails angefordert. Bitte später erneut versuchen.',
  'error.passwordMismatch': 'Die Passwörter stimmen nicht überein.',
  'error.passwordSame': 'Das neue Passwort muss sich vom aktuellen unterscheiden.',
  'error.closed': 'Die Registrierung ist deaktiviert. Konten werden von den Administratoren dieser Website vergeben.',
  'error.domain': 'Mit E-Mail-Adressen dieser Domain kann kein Konto erstellt werden.',
};
