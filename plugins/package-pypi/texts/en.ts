export const en = {
  'install.command': 'Install the package:',
  'install.upload': 'Upload a release:',
  'about.requires': 'Requires Python {version}',
  'about.yanked': 'This release was yanked: {reason}',
  'about.license': 'License: {license}',
} as const;
