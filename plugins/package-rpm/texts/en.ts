export const en = {
  'about.license': 'License: {license}',
  'install.architectures': 'Architectures: {architectures}',
  'install.command': 'Install the package:',
  'install.repository': 'Add the repository:',
} as const;
