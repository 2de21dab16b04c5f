export const en = {
  'kind.sspi': 'SSPI (Kerberos)',
  'field.realms': 'Allowed realms',
  'field.realmsNote': 'Kerberos realms separated by commas, such as EXAMPLE.COM. Users of other realms cannot sign in.',
  'field.autoCreateUsers': 'Automatically create users',
  'field.autoCreateUsersNote': 'If off, an administrator creates the accounts, with the principal as the login name.',
  'field.autoActivateUsers': 'Automatically activate users',
  'field.stripDomainNames': 'Remove domain names from usernames',
  'field.stripDomainNamesNote': 'ada@EXAMPLE.COM becomes ada.',
  'field.separatorReplacement': 'Separator to use instead of @',
  'field.separatorReplacementNote': 'Used if domain names are not removed.',
  'field.defaultLanguage': 'Default user language',
  'field.visitorsLanguage': 'Language of the browser',
  'link.submit': 'Sign in with Kerberos (SSPI)',
  'refused.title': 'Sign in with Kerberos (SSPI)',
  'refused.text':
    'No valid Kerberos ticket was received. Check that you have a ticket, and that your browser may send it to this site.',
  'refused.again': 'Try again',
  'refused.other': 'Sign in another way',
  'error.token': 'The Kerberos ticket is not valid.',
  'error.nobody': 'Your Kerberos account has no access to this site.',
  'error.secondFactor':
    'Two-factor authentication is enabled for this account: sign in on the sign-in page, or use an access token.',
  'error.library':
    'The Node.js package "kerberos" is not installed or could not be loaded. Install the Kerberos libraries of the system (libkrb5-dev or krb5-devel) and run npm install again.',
  'error.windows':
    'The Node.js package "node-expose-sspi" is not installed or could not be loaded. Negotiate sign-in needs it on Windows servers.',
  'error.setup': 'Kerberos is not set up correctly on this server.',
  'error.busy': 'Too many people are signing in at once. Try again.',
} as const;
