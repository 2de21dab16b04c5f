export const en = {
  none: 'Notifications',
  // the script fills the number in, as often as it changes
  one: '{count} unread notification',
  other: '{count} unread notifications',
} as const;
