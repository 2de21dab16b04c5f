export const en = {
  'list.title': 'Packages',
  'list.of': 'Packages of {name}',
  'list.heading': '<link>{name}</link> / Packages',
  'list.all': 'All packages',
  'list.search': 'Search packages by name',
  'list.format': 'Format',
  'list.allFormats': 'All formats',
  'list.submit': 'Search',
  'list.none': 'No packages',

  'version.install': 'Installation',
  'version.about': 'About',
  'version.downloads': '{count, plural, one {# download} other {# downloads}}',
  'version.hash': 'SHA-256 {hash}',
  'version.files': 'Files ({count, number})',
  'version.versions': 'Versions ({count, number})',
  'version.delete': 'Delete this version',
  'version.deleteConfirm': 'Delete version {version}? Its files will be deleted permanently.',

  'event.label': 'Package',
  'event.note': 'A version of a package was published or deleted.',
  'event.group': 'Packages',
} as const;
