export const en = {
  'install.repository': 'Add the repository to <code>pom.xml</code>:',
  'install.dependency': 'Add the dependency:',
  'install.command': 'Or download it:',
  'about.license': 'License: {license}',
  'about.dependencies': 'Dependencies',
} as const;
