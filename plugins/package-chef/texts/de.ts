import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'about.dependencies': 'Abhängigkeiten',
  'about.license': 'Lizenz: {license}',
  'about.maintainer': 'Betreut von: {maintainer}',
  'install.command': 'Das Cookbook installieren:',
  'install.settings': 'Die Adresse in die Einstellungen von knife (config.rb) eintragen:',
  'keys.title': 'Chef-Schlüssel',
  'keys.note':
    'knife und ähnliche Werkzeuge signieren ihre Anfragen. Ein Schlüsselpaar für dieses Konto: Der private Schlüssel wird einmal heruntergeladen und nicht auf dem Server gespeichert. Mit ihm lassen sich Cookbooks veröffentlichen und lesen, sonst nichts.',
  'keys.none': 'Es gibt keinen Schlüssel.',
  'keys.madeAt': 'Der Schlüssel wurde {when} erstellt.',
  'keys.settings':
    'In den Einstellungen von knife ist <code>client_name</code> „{name}“, und <code>client_key</code> ist die Datei.',
  'keys.make': 'Schlüsselpaar erstellen',
  'keys.replaceConfirm':
    'Neues Schlüsselpaar erstellen? Mit dem bisherigen Schlüssel signierte Anfragen werden dann abgelehnt.',
  'keys.delete': 'Schlüssel löschen',
  'keys.deleteConfirm': 'Schlüssel löschen? Damit signierte Anfragen werden dann abgelehnt.',
  'error.action': 'Das ist nicht möglich.',
};
