export const en = {
  'about.author': 'Author: {author}',
  'install.command': 'Add the box:',
  'install.providers': 'Providers: {providers}',
} as const;
