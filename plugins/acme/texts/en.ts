export const en = {
  'schedule.renew': 'Renew the HTTPS certificate',
} as const;
