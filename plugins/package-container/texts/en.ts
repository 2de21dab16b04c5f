export const en = {
  'install.signIn': 'Sign in where packages are not public:',
  'install.pull': 'Pull the image:',
  'install.digest': 'Or exactly this one:',
  'about.platforms': 'Platforms: {platforms}',
  'about.attestations': 'Attestations: {number}',
  'about.layers': 'Layers',
  'about.license': 'License: {license}',
  'schedule.clean-up': 'Delete abandoned uploads of images',
} as const;
