export const en = {
  unit: 'Actions',
} as const;
