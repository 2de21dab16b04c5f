export const en = {
  'install.registry': 'Set the registry in <code>.npmrc</code>:',
  'install.command': 'Install the package:',
  'install.manifest': 'Or add it to <code>package.json</code>:',

  'about.deprecated': 'Deprecated: {reason}',
  'about.license': 'License: {license}',
  'about.repository': 'Repository:',
  'about.dependencies': 'Dependencies',
  'about.peerDependencies': 'Peer dependencies',
  'about.optionalDependencies': 'Optional dependencies',
  'about.devDependencies': 'Development dependencies',
  'schedule.renew-documents': 'Renew outdated npm documents',
} as const;
