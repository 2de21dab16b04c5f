export const en = {
  card: 'Cards',
  auto: 'As the URL takes them',
  adaptive: 'Adaptive cards (workflows)',
  message: 'Message cards (connectors)',
} as const;
