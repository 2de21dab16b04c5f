export const en = {
  'install.copy': 'Copy',
  'install.download': 'Download a file:',
} as const;
