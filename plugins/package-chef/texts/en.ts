export const en = {
  'about.dependencies': 'Dependencies',
  'about.license': 'License: {license}',
  'about.maintainer': 'Maintainer: {maintainer}',
  'install.command': 'Install the cookbook:',
  'install.settings': 'Add the site to the settings of knife (config.rb):',
  'keys.title': 'Chef key',
  'keys.note':
    'knife and its like sign what they send. Make a key pair for this account: the private key is downloaded once and kept nowhere here. It is good for publishing and reading packages of Chef, and nothing else.',
  'keys.none': 'There is no key.',
  'keys.madeAt': 'The key was made {when}.',
  'keys.settings':
    'In the settings of knife, <code>client_name</code> is “{name}”, and <code>client_key</code> is the file.',
  'keys.make': 'Make a key pair',
  'keys.replaceConfirm': 'Make a new key pair? The key before it will not be taken any more.',
  'keys.delete': 'Delete the key',
  'keys.deleteConfirm': 'Delete the key? Requests that it signs will not be taken any more.',
  'error.action': 'This cannot be done.',
} as const;
