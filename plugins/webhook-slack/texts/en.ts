export const en = {
  channel: 'Channel',
  username: 'Username',
  icon: 'Icon URL',
  color: 'Color',
  colorHelp: 'Beside the commits of a push.',
} as const;
