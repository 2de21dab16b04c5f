export const en = {
  'install.configure': 'Set up the registry:',
  'install.command': 'Add the package to <code>Package.swift</code>:',
  'install.publish': 'Publish a release:',
  'about.license': 'License: {license}',
  'about.author': 'Author: {author}',
  'about.tools': 'Swift tools version: {version}',
  'about.signed': 'This release is signed.',
} as const;
