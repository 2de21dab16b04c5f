export const en = {
  'about.author': 'Author: {author}',
  'about.dependencies': 'Dependencies',
  'about.license': 'License: {license}',
  'install.binaries': 'Binaries: {kinds}',
  'install.command': 'Install the package:',
  'install.repository': 'Add the repository in R:',
} as const;
