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
    'knife und Ähnliches signieren, was sie senden. Ein Schlüsselpaar für dieses Konto: Der private Schlüssel wird einmal heruntergeladen und hier nirgends aufbewahrt. Mit ihm lassen sich Pakete von Chef veröffentlichen und lesen, sonst nichts.',
  'keys.none': 'Es gibt keinen Schlüssel.',
  'keys.madeAt': 'Der Schlüssel wurde {when} erstellt.',
  'keys.settings':
    'In den Einstellungen von knife ist <code>client_name</code> „{name}“, und <code>client_key</code> ist die Datei.',
  'keys.make': 'Schlüsselpaar erstellen',
  'keys.replaceConfirm': 'Neues Schlüsselpaar erstellen? Der bisherige Schlüssel gilt dann nicht mehr.',
  'keys.delete': 'Schlüssel löschen',
  'keys.deleteConfirm': 'Schlüssel löschen? Damit signierte Anfragen gelten dann nicht mehr.',
  'error.action': 'Das ist nicht möglich.',
};
