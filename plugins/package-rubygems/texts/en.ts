export const en = {
  'install.command': 'Install the gem:',
  'install.bundler': 'Or add it to a Gemfile:',
  'install.push': 'Push a version:',
  'about.license': 'License: {license}',
  'about.authors': 'Authors: {authors}',
  'about.dependencies': 'Dependencies',
  'about.platforms': 'Platforms: {platforms}',
} as const;
