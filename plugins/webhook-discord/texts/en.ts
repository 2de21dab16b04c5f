export const en = {
  username: 'Username',
  icon: 'Icon URL',
} as const;
