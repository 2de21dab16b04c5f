import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'security.title': 'Sicherheit',
  'security.password': 'Aktuelles Passwort',
  'security.enforced':
    'Diese Website verlangt Zwei-Faktor-Authentifizierung. Repositories bleiben geschlossen, bis eine Authenticator-App oder ein Sicherheitsschlüssel eingerichtet ist.',

  'totp.title': 'Zwei-Faktor-Authentifizierung',
  'totp.on': 'Eine Authenticator-App ist eingerichtet. Beim Anmelden wird ein Code abgefragt.',
  'totp.off': 'Es ist keine Authenticator-App eingerichtet.',
  'totp.setUp': 'Authenticator-App einrichten',
  'totp.disable': 'Authenticator-App entfernen',

  'recovery.title': 'Wiederherstellungscodes',
  'recovery.left':
    '{count, plural, =0 {Es sind keine Wiederherstellungscodes übrig.} one {Es ist noch # Wiederherstellungscode übrig.} other {Es sind noch # Wiederherstellungscodes übrig.}}',
  'recovery.make': 'Neue Wiederherstellungscodes erzeugen',
  'recovery.note':
    'Bitte diese Codes sicher aufbewahren. Jeder ermöglicht eine Anmeldung ohne Authenticator-App oder Sicherheitsschlüssel. Sie werden nicht noch einmal angezeigt.',
  'recovery.kept': 'Codes sind gesichert',

  'enrol.title': 'Authenticator-App einrichten',
  'enrol.scan': 'Bitte diesen QR-Code mit der Authenticator-App scannen.',
  'enrol.qr': 'QR-Code des Geheimnisses',
  'enrol.secret': 'Oder dieses Geheimnis eingeben: {secret}',
  'enrol.code': 'Code',
  'enrol.codeNote': 'Die sechs Ziffern, die die App gerade anzeigt.',
  'enrol.submit': 'Bestätigen',

  'code.title': 'Zwei-Faktor-Authentifizierung',
  'code.label': 'Code',
  'code.note': 'Sechs Ziffern aus der Authenticator-App oder einer der Wiederherstellungscodes.',
  'code.recoveryLabel': 'Wiederherstellungscode',
  'code.recoveryNote': 'Einer der Codes, die beim Hinzufügen des Sicherheitsschlüssels angezeigt wurden.',
  'code.useKey': 'Sicherheitsschlüssel verwenden',
  'code.submit': 'Überprüfen',

  'error.code': 'Der Code ist falsch oder wurde bereits verwendet.',
  'error.tooMany':
    'Für dieses Konto wurden zu viele falsche Codes eingegeben. Bitte einen Wiederherstellungscode oder einen Sicherheitsschlüssel verwenden oder es später erneut versuchen.',
  'error.tooLate': 'Das hat zu lange gedauert. Bitte von vorn beginnen.',
  'error.noFactor': 'Es ist keine Zwei-Faktor-Authentifizierung eingerichtet.',
  'error.basicMissing':
    'Zwei-Faktor-Authentifizierung ist aktiv: bitte einen Einmalcode im Header X-Gitea-OTP senden oder ein Zugriffstoken verwenden',
  'error.basicWrong': 'Der Einmalcode ist falsch oder wurde bereits verwendet',
  'error.basicKey':
    'Ein Sicherheitsschlüssel ist eingerichtet: Passwörter werden hier nicht angenommen, bitte ein Zugriffstoken verwenden',

  'keys.title': 'Sicherheitsschlüssel und Passkeys',
  'keys.note':
    'Ein Sicherheitsschlüssel wird nach dem Passwort verlangt. Ein Passkey ermöglicht die Anmeldung ohne Passwort.',
  'keys.noteFactor': 'Ein Sicherheitsschlüssel oder Passkey wird nach dem Passwort verlangt.',
  'keys.passkey': 'Passkey',
  'keys.securityKey': 'Sicherheitsschlüssel',
  'keys.added': 'Hinzugefügt {when}',
  'keys.used': 'Zuletzt verwendet {when}',
  'keys.neverUsed': 'Nie verwendet',
  'keys.change': '{name} umbenennen oder entfernen',
  'keys.name': 'Name',
  'keys.rename': 'Umbenennen',
  'keys.remove': 'Entfernen',
  'keys.addPasskey': 'Passkey hinzufügen',
  'keys.addKey': 'Sicherheitsschlüssel hinzufügen',
  'keys.unsupported': 'Dieser Browser unterstützt hier keine Sicherheitsschlüssel. Nötig ist HTTPS oder localhost.',
  'keys.failed': 'Der Sicherheitsschlüssel oder Passkey konnte nicht verwendet werden. Bitte erneut versuchen.',

  'key.note': 'Bitte die Anmeldung mit dem Sicherheitsschlüssel oder Passkey abschließen.',
  'key.submit': 'Sicherheitsschlüssel verwenden',
  'key.useCode': 'Stattdessen einen Code verwenden',

  'passkey.title': 'Mit Passkey anmelden',
  'passkey.note': 'Das Gerät fragt nach einer Bestätigung.',
  'passkey.submit': 'Mit Passkey anmelden',
  'passkey.password': 'Mit Passwort anmelden',

  'error.key': 'Der Sicherheitsschlüssel oder Passkey wurde nicht akzeptiert. Bitte erneut versuchen.',
  'error.keyKnown': 'Dieser Sicherheitsschlüssel wird bereits verwendet.',
  'error.keyName': 'Der Name muss 1 bis 255 Zeichen lang sein.',

  'admin.has': 'Zwei-Faktor-Authentifizierung ist eingerichtet.',
  'admin.hasNot': 'Zwei-Faktor-Authentifizierung ist nicht eingerichtet.',
  'admin.reset': 'Zwei-Faktor-Authentifizierung entfernen',
  'admin.resetNote':
    'Entfernt Authenticator-App, Sicherheitsschlüssel, Passkeys und Wiederherstellungscodes von {name}. Bitte nur tun, wenn feststeht, dass {name} darum gebeten hat.',

  'mail.subject': 'Zwei-Faktor-Authentifizierung des Kontos auf {site} geändert',
  'mail.totpAdded': 'Dem Konto {name} wurde eine Authenticator-App hinzugefügt.',
  'mail.totpRemoved': 'Die Authenticator-App wurde aus dem Konto {name} entfernt.',
  'mail.keyAdded': 'Dem Konto {name} wurde der Sicherheitsschlüssel oder Passkey „{key}“ hinzugefügt.',
  'mail.keyRemoved': 'Der Sicherheitsschlüssel oder Passkey „{key}“ wurde aus dem Konto {name} entfernt.',
  'mail.codesMade': 'Für das Konto {name} wurden neue Wiederherstellungscodes erzeugt.',
  'mail.reset': 'Die Zwei-Faktor-Authentifizierung des Kontos {name} wurde durch die Administration entfernt.',
  'mail.notYou':
    'Falls diese Änderung nicht gewollt war, bitte das Passwort ändern und die Sicherheitseinstellungen prüfen.',

  'error.enforced':
    'Diese Website verlangt Zwei-Faktor-Authentifizierung für Repositories. Sie kann in den Sicherheitseinstellungen des Kontos eingerichtet werden: {url}',
  'security.fixed': 'Dies verwaltet die Administration dieser Site oder das Verzeichnis, zu dem das Konto gehört.',
  'error.keyTooMany': 'Ein Konto kann höchstens {max, number} Sicherheitsschlüssel und Passkeys haben.',
  'error.ownSource':
    'Diese Website verlangt Zwei-Faktor-Authentifizierung: Bitte mit {source} anmelden, das danach fragt.',
};
