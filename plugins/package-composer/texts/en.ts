export const en = {
  'install.configure': 'Add the repository to <code>composer.json</code>:',
  'install.command': 'Add the package to a project:',
  'install.upload': 'Upload a version:',
  'about.license': 'License: {license}',
  'about.authors': 'Authors: {authors}',
  'about.dependencies': 'Dependencies',
} as const;
