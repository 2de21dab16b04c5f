export const en = {
  'about.appVersion': 'Version of the application: {version}',
  'about.dependencies': 'Dependencies',
  'about.keywords': 'Keywords: {keywords}',
  'install.command': 'Install the chart:',
  'install.repository': 'Add the repository:',
} as const;
