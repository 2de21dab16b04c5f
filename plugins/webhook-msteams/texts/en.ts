export const en = {
  card: 'Cards',
  auto: 'Chosen by the URL',
  adaptive: 'Adaptive cards (workflows)',
  message: 'Message cards (connectors)',
} as const;
