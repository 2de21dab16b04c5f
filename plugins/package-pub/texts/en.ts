export const en = {
  'install.token': 'Tell the client the token:',
  'install.command': 'Add the package to a project:',
  'install.publish': 'Publish from <code>pubspec.yaml</code> with <code>publish_to</code>:',
  'about.sdk': 'Needs {name} {range}',
  'about.dependencies': 'Dependencies',
} as const;
