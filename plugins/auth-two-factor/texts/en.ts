export const en = {
  'security.title': 'Security',
  'security.password': 'Current password',
  'security.enforced':
    'This site requires two-factor authentication. Repositories stay closed to you until you set up an authenticator app or a security key.',

  'totp.title': 'Two-factor authentication',
  'totp.on': 'An authenticator app is set up. You are asked for a code when you sign in.',
  'totp.off': 'No authenticator app is set up.',
  'totp.setUp': 'Set up authenticator app',
  'totp.disable': 'Remove authenticator app',

  'recovery.title': 'Recovery codes',
  'recovery.left':
    '{count, plural, =0 {No recovery codes are left.} one {# recovery code is left.} other {# recovery codes are left.}}',
  'recovery.make': 'Generate new recovery codes',
  'recovery.note':
    'Keep these codes in a safe place. Each lets you sign in once without your authenticator app or security key. They are not shown again.',
  'recovery.kept': 'I have saved my codes',

  'enrol.title': 'Set up authenticator app',
  'enrol.scan': 'Scan this QR code with your authenticator app.',
  'enrol.qr': 'QR code of the secret',
  'enrol.secret': 'Or enter this secret: {secret}',
  'enrol.code': 'Code',
  'enrol.codeNote': 'The six digits that the app shows now.',
  'enrol.submit': 'Confirm',

  'code.title': 'Two-factor authentication',
  'code.label': 'Code',
  'code.note': 'Six digits from your authenticator app, or one of your recovery codes.',
  'code.recoveryLabel': 'Recovery code',
  'code.recoveryNote': 'One of the codes that you saved when you added your security key.',
  'code.useKey': 'Use a security key',
  'code.submit': 'Verify',

  'error.code': 'The code is wrong, or has been used already.',
  'error.tooMany':
    'Too many wrong codes were entered for this account. Use a recovery code or a security key, or try again later.',
  'error.tooLate': 'This took too long. Start again.',
  'error.noFactor': 'Two-factor authentication is not set up.',
  'error.basicMissing':
    'two-factor authentication is enabled: send a one-time code in the header X-Gitea-OTP, or use an access token',
  'error.basicWrong': 'the one-time code is wrong, or has been used already',
  'error.basicKey': 'a security key is enrolled: passwords are not accepted here, use an access token',

  'keys.title': 'Security keys and passkeys',
  'keys.note': 'A security key is asked for after your password. A passkey signs you in without a password.',
  'keys.noteFactor': 'A security key or passkey is asked for after your password.',
  'keys.passkey': 'Passkey',
  'keys.securityKey': 'Security key',
  'keys.added': 'Added {when}',
  'keys.used': 'Last used {when}',
  'keys.neverUsed': 'Never used',
  'keys.change': 'Rename or remove {name}',
  'keys.name': 'Name',
  'keys.rename': 'Rename',
  'keys.remove': 'Remove',
  'keys.addPasskey': 'Add passkey',
  'keys.addKey': 'Add security key',
  'keys.unsupported': 'This browser does not support security keys here. They need HTTPS or localhost.',
  'keys.failed': 'The security key or passkey could not be used. Try again.',

  'key.note': 'Use your security key or passkey to finish signing in.',
  'key.submit': 'Use security key',
  'key.useCode': 'Use a code instead',

  'passkey.title': 'Sign in with a passkey',
  'passkey.note': 'Your device asks you to confirm that it is you.',
  'passkey.submit': 'Sign in with a passkey',
  'passkey.password': 'Sign in with a password',

  'error.key': 'The security key or passkey was not accepted. Try again.',
  'error.keyKnown': 'This security key is already in use.',
  'error.keyName': 'The name must have 1 to 255 characters.',

  'admin.has': 'Two-factor authentication is set up.',
  'admin.hasNot': 'Two-factor authentication is not set up.',
  'admin.reset': 'Remove two-factor authentication',
  'admin.resetNote':
    'Removes the authenticator app, security keys, passkeys and recovery codes of {name}. Do this only when you know that {name} asked for it.',

  'mail.subject': 'Two-factor authentication of your account on {site} was changed',
  'mail.totpAdded': 'An authenticator app was added to your account {name}.',
  'mail.totpRemoved': 'The authenticator app was removed from your account {name}.',
  'mail.keyAdded': 'The security key or passkey “{key}” was added to your account {name}.',
  'mail.keyRemoved': 'The security key or passkey “{key}” was removed from your account {name}.',
  'mail.codesMade': 'New recovery codes were generated for your account {name}.',
  'mail.reset': 'An administrator removed two-factor authentication from your account {name}.',
  'mail.notYou': 'If this was not you, change your password and check your security settings.',

  'error.enforced':
    'This site requires two-factor authentication to use repositories. Set it up in the security settings of your account: {url}',
  'security.fixed':
    'This is managed by the administrators of this site, or by the directory that your account belongs to.',
  'error.keyTooMany': 'An account can have at most {max, number} security keys and passkeys.',
  'error.ownSource': 'This site requires two-factor authentication: sign in with {source}, which asks for it.',
};
