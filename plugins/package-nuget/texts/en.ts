export const en = {
  'install.configure': 'Add the source:',
  'install.command': 'Add the package to a project:',
  'install.push': 'Push a version:',
  'about.license': 'License: {license}',
  'about.authors': 'Authors: {authors}',
  'about.dependencies': 'Dependencies',
} as const;
