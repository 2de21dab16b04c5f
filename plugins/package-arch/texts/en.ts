export const en = {
  'about.dependencies': 'Dependencies',
  'about.license': 'License: {license}',
  'about.packager': 'Packager: {packager}',
  'install.architectures': 'Architectures: {architectures}',
  'install.command': 'Install the package:',
  'install.key': 'Trust the key of the repository:',
  'install.repository': 'Add the repository to /etc/pacman.conf:',
} as const;
