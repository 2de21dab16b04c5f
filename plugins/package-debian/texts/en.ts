export const en = {
  'about.dependencies': 'Dependencies',
  'about.maintainer': 'Maintainer: {maintainer}',
  'install.architectures': 'Architectures: {architectures}',
  'install.command': 'Install the package:',
  'install.key': 'Trust the key of the repository:',
  'install.repository': 'Add the repository:',
} as const;
