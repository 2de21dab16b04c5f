export const en = {
  'install.state': 'Keep the state here:',
  'install.module': 'Use the module:',
  'install.provider': 'Use the provider:',
  'about.state': 'A state. It may hold secrets: only the owner and members of the owning organization can read it.',
  'about.lineage': 'Lineage: {lineage}',
  'about.platforms': 'Platforms: {platforms}',
} as const;
