export const en = {
  'artifacts.delete': 'Delete',
  'artifacts.deleteConfirm': 'The artifact {name} is deleted for good.',
  'artifacts.deleteOf': 'Delete {name}',
  'artifacts.expired': 'Expired',
  'artifacts.expires': 'Expires on {when}',
  'artifacts.title': 'Artifacts',
  'summaries.of': 'Summary of {name}',
} as const;
