export const en = {
  'install.configure': 'Add the registry to <code>.cargo/config.toml</code>:',
  'install.command': 'Add the crate to a project:',
  'about.yanked': 'This version was yanked: new projects do not choose it.',
  'about.license': 'License: {license}',
  'about.dependencies': 'Dependencies',
} as const;
