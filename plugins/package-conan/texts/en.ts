export const en = {
  'install.configure': 'Add the remote:',
  'install.command': 'Install the package:',
  'install.upload': 'Upload a version:',
  'about.license': 'License: {license}',
  'about.author': 'Author: {author}',
  'about.references': 'Recipes',
  'about.revisions': '{count, plural, one {# revision} other {# revisions}}',
} as const;
