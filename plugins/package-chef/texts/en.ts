export const en = {
  'about.dependencies': 'Dependencies',
  'about.license': 'License: {license}',
  'about.maintainer': 'Maintainer: {maintainer}',
  'install.command': 'Install the cookbook:',
  'install.settings': 'Add the site to the settings of knife (config.rb):',
} as const;
