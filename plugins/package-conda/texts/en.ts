export const en = {
  'about.dependencies': 'Dependencies',
  'about.license': 'License: {license}',
  'install.channel': 'Add the server to .condarc:',
  'install.command': 'Install the package:',
  'install.platforms': 'Platforms: {platforms}',
} as const;
