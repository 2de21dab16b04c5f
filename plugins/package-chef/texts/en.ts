export const en = {
  'about.dependencies': 'Dependencies',
  'about.license': 'License: {license}',
  'about.maintainer': 'Maintainer: {maintainer}',
  'install.command': 'Install the cookbook:',
  'install.settings': 'Add the site to the settings of knife (config.rb):',
  'keys.title': 'Chef key',
  'keys.note':
    'knife and similar tools sign their requests. Make a key pair for this account: the private key is downloaded once and not stored on the server. It is good for publishing and reading cookbooks, and nothing else.',
  'keys.none': 'There is no key.',
  'keys.madeAt': 'The key was made {when}.',
  'keys.settings':
    'In the settings of knife, <code>client_name</code> is “{name}”, and <code>client_key</code> is the file.',
  'keys.make': 'Make a key pair',
  'keys.replaceConfirm': 'Make a new key pair? Requests signed with the previous key will be rejected.',
  'keys.delete': 'Delete the key',
  'keys.deleteConfirm': 'Delete the key? Requests signed with it will be rejected.',
  'error.action': 'This cannot be done.',
} as const;
