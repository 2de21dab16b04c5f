export const en = {
  'about.dependencies': 'Dependencies',
  'about.license': 'License: {license}',
  'install.architectures': 'Architectures: {architectures}',
  'install.command': 'Install the package:',
  'install.key': 'Trust the key of the repository:',
  'install.repository': 'Add the repository to /etc/apk/repositories:',
} as const;
