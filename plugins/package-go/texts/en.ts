export const en = {
  'install.proxy': 'Ask this proxy first:',
  'install.command': 'Add the module:',
  'install.copy': 'Copy',
  'about.module': 'Module file',
} as const;
