export const en = {
  'about.author': 'Author: {author}',
  'install.command': 'Add the box:',
  'install.copy': 'Copy',
  'install.providers': 'Providers: {providers}',
} as const;
