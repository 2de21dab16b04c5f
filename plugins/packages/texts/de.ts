import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'list.title': 'Pakete',
  'list.of': 'Pakete von {name}',
  'list.heading': '<link>{name}</link> / Pakete',
  'list.all': 'Alle Pakete',
  'list.search': 'Pakete nach Namen suchen',
  'list.format': 'Format',
  'list.allFormats': 'Alle Formate',
  'list.none': 'Keine Pakete',

  'admin.name': 'Name',
  'admin.versions': 'Versionen',
  'admin.size': 'Größe',
  'admin.published': 'Zuletzt veröffentlicht',
  'admin.actions': 'Aktionen',
  'admin.none': 'Keine passenden Pakete',
  'admin.deleteOf': '{name} löschen',
  'admin.deleteConfirm':
    '{name} mit {versions, plural, one {# Version} other {# Versionen}} löschen? Die Dateien werden endgültig gelöscht.',

  'version.install': 'Installation',
  'version.readme': 'Readme',
  'version.tags': 'Tags',
  'version.about': 'Über dieses Paket',
  'version.downloads': '{count, plural, one {# Download} other {# Downloads}}',
  'version.hash': 'SHA-256 {hash}',
  'version.files': 'Dateien ({count, number})',
  'version.versions': 'Versionen ({count, number})',
  'version.delete': 'Diese Version löschen',
  'version.deleteConfirm': 'Version {version} löschen? Ihre Dateien werden endgültig gelöscht.',

  'event.label': 'Paket',
  'event.note': 'Eine Version eines Pakets wurde veröffentlicht oder gelöscht.',
  'event.group': 'Pakete',
  'event.created': '{actor} hat {name} {version} veröffentlicht',
  'event.deleted': '{actor} hat {name} {version} gelöscht',
  'error.ownsPackages': 'Das Konto besitzt noch Pakete.',
};
