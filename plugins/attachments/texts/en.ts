export const en = {
  'error.nameMissing': 'Enter a name for the file.',
  'error.nameLong': 'A file name must be at most 255 characters long.',
  'error.type': 'Files of this type are not allowed: {name}.',
  'error.size': 'A file must be at most {size} in size.',
  'error.url':
    'The external link (external_url) must be a valid address that begins with http:// or https:// and holds no password.',
  'error.urlLong': 'The external link (external_url) must be at most 2,000 characters long.',
  'schedule.sweep': 'Delete files that no attachment refers to',
} as const;
