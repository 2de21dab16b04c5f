export const en = {
  'install.proxy': 'Ask this proxy first:',
  'install.command': 'Add the module:',
  'about.module': 'Module file',
} as const;
