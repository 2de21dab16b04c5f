export const en = {
  'clone.menu': 'Code',
  'clone.title': 'Clone',
  'clone.protocol': 'Protocol',
  'clone.copy': 'Copy the {protocol} address',
  'clone.token': 'Over {protocol}, Git asks for a username and a password. Use an access token as the password.',
  'clone.createToken': 'Generate an access token',

  'empty.title': 'This repository is empty',
  'empty.new': 'Create a new repository on the command line',
  'empty.push': 'Push an existing repository',
  'empty.copy': 'Copy the commands',
} as const;
