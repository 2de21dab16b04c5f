export const en = {
  'error.name': 'The proxy signs you in with a name that no account can have.',
} as const;
