import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'applications.title': 'Anwendungen',

  'tokens.title': 'Zugriffstokens',
  'tokens.none': 'Noch keine Zugriffstokens',
  'tokens.note': 'Programme verwenden ein Token anstelle des Passworts, mit den gewählten Berechtigungen.',
  'tokens.created': 'Erstellt {when}',
  'tokens.used': 'Zuletzt verwendet {when}',
  'tokens.neverUsed': 'Nie verwendet',
  'tokens.noExpiry': 'Läuft nicht ab',
  'tokens.expires': 'Läuft am {day} ab',
  'tokens.expired': 'Am {day} abgelaufen',
  'tokens.rename': 'Umbenennen',
  'tokens.renameOf': 'Token {name} umbenennen',
  'tokens.renameSubmit': 'Speichern',
  'tokens.delete': 'Löschen',
  'tokens.deleteOf': 'Token {name} löschen',
  'tokens.deleteConfirm': 'Token {name} löschen? Programme, die es verwenden, verlieren den Zugriff.',
  'tokens.copy': 'Bitte das neue Token jetzt kopieren. Es wird nicht noch einmal angezeigt.',
  'tokens.copyButton': 'Token kopieren',
  'tokens.secret': 'Neues Token',

  'new.title': 'Token erstellen',
  'new.name': 'Name',
  'new.namePlaceholder': 'Wofür ist es?',
  'new.expires': 'Letzter Tag',
  'new.expiresNote':
    'Das Token endet mit diesem Tag (UTC); vorher kommt eine E-Mail. Bleibt das Feld leer, läuft es nicht ab.',
  'new.permissions': 'Berechtigungen',
  'new.publicOnly': 'Nur öffentliche Repositories und Organisationen',
  'new.submit': 'Token erstellen',

  'level.none': 'Kein Zugriff',
  'level.read': 'Lesen',
  'level.write': 'Lesen und Schreiben',
  'level.delete': 'Lesen, Schreiben und Löschen',

  'scope.activitypub': 'ActivityPub',
  'scope.admin': 'Website-Administration',
  'scope.misc': 'Sonstiges',
  'scope.notification': 'Benachrichtigungen',
  'scope.organization': 'Organisationen',
  'scope.package': 'Pakete',
  'scope.issue': 'Issues und Pull Requests',
  'scope.repository': 'Repositories',
  'scope.user': 'Eigenes Konto',

  'scopeNote.activitypub': 'Föderation mit anderen Seiten.',
  'scopeNote.admin': 'Benutzer, geplante Aufgaben und alles Weitere auf den Verwaltungsseiten.',
  'scopeNote.misc': 'Markdown-Darstellung, Vorlagen und andere Hilfen.',
  'scopeNote.notification': 'Die eigenen Benachrichtigungen.',
  'scopeNote.organization': 'Eigene Organisationen und Teams.',
  'scopeNote.package': 'Pakete veröffentlichen, herunterladen und löschen.',
  'scopeNote.issue': 'Issues, Pull Requests, Kommentare und Meilensteine.',
  'scopeNote.repository': 'Code, Branches, Releases, Wikis, Webhooks und Einstellungen; nötig für Clone und Push.',
  'scopeNote.user': 'Profil, E-Mail-Adressen, Schlüssel, Sterne und Follower.',

  'mail.expires.subject': 'Das Zugriffstoken {name} auf {site} läuft bald ab',
  'mail.expires.line':
    'Das Zugriffstoken {name} kann bis zum {day} verwendet werden. Wenn ein Programm es weiterhin braucht, bitte ein neues erstellen und dem Programm geben.',
  'mail.expires.link': 'Eigene Zugriffstokens',

  'error.name': 'Der Name muss 1 bis 255 Zeichen lang sein.',
  'error.nameTaken': 'Ein Token mit diesem Namen ist bereits vorhanden.',
  'error.day': 'Bitte einen Tag eingeben, zum Beispiel 2030-01-31.',
  'error.past': 'Der letzte Tag darf nicht in der Vergangenheit liegen.',
  'error.noScope': 'Bitte mindestens eine Berechtigung auswählen.',
  'error.exceeds': 'Mit einem Token kann kein Token mit weitergehenden Berechtigungen erstellt werden.',
  'error.signIn': 'Zugriffstokens können nicht mit einem Zugriffstoken verwaltet werden. Bitte anmelden.',
};
