export const en = {
  username: 'Packagist username',
  token: 'API token',
  package: 'Package URL',
  needed: 'Enter the username and the API token.',
} as const;
