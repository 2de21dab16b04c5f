export const en = {
  'install.download': 'Download a file:',
} as const;
