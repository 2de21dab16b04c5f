import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  title: 'GPG-Schlüssel',
  saved: 'Die Änderungen wurden gespeichert.',
  none: 'Noch keine GPG-Schlüssel',
  noneText: 'Commits und Tags, die mit einem dieser Schlüssel signiert sind, werden als verifiziert angezeigt.',
  prove: 'Nachweisen, dass dieser Schlüssel der eigene ist',
  proveText:
    'Bitte diesen Text signieren und das Ergebnis einfügen. Der Schlüssel gilt dann für alle verifizierten Adressen des Kontos.',
  signature: 'Signatur',
  verify: 'Verifizieren',
  verified: 'Verifiziert',
  expired: 'Abgelaufen',
  noAddress: 'Keine der eigenen E-Mail-Adressen',
  subkeys: 'Unterschlüssel: {keys}',
  added: 'Hinzugefügt {when}',
  expiredOn: 'Abgelaufen am {date}',
  validUntil: 'Gültig bis {date}',
  delete: 'Löschen',
  deleteOf: 'Schlüssel {name} löschen',
  deleteConfirm:
    'Diesen Schlüssel löschen? Damit signierte Commits und Tags werden nicht mehr als verifiziert angezeigt.',
  add: 'GPG-Schlüssel hinzufügen',
  key: 'Öffentlicher Schlüssel',
  keyNote: 'Die Ausgabe von <code>gpg --armor --export KEYID</code>',
  otherAddress: 'Der Schlüssel enthält keine der eigenen E-Mail-Adressen',
  otherText: 'Nachweis des Besitzes: Bitte diesen Text signieren und das Ergebnis einfügen.',
  'error.signature': 'Die Signatur passt nicht zum Text oder stammt von einem anderen Schlüssel.',
  'error.address':
    'Keine Adresse im Schlüssel ist eine verifizierte Adresse des Kontos; bitte zum Nachweis den Text signieren.',
  'error.twice': 'Ein Schlüssel ist doppelt angegeben.',
  'error.private': 'Dies ist ein privater Schlüssel. Bitte den öffentlichen angeben.',
  'error.identities': 'Der Schlüssel hat zu viele Identitäten oder Unterschlüssel.',
  'error.signatures': 'Der Schlüssel hat zu viele Signaturen; bitte mit der Option export-minimal exportieren.',
  'error.revoked': 'Der Schlüssel ist widerrufen.',
  'error.selfless': 'Der Schlüssel hat keine Identität, die er selbst beglaubigt.',
  'error.large': 'Der Schlüssel ist zu groß; bitte ohne fremde Signaturen exportieren.',
  'error.armour': 'Dies ist kein öffentlicher OpenPGP-Schlüssel in ASCII-Darstellung.',
  fixed: 'GPG-Schlüssel verwaltet die Administration dieser Site oder das Verzeichnis, zu dem das Konto gehört.',
};
