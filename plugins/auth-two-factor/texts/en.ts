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
  'error.password': 'The password is wrong.',
  'error.signInAgain': 'Sign out and in again to make this change.',
  'error.tooLate': 'This took too long. Start again.',
  'error.noFactor': 'Two-factor authentication is not set up.',
  'error.basicMissing':
    'two-factor authentication is enabled: send a one-time code in the header X-Gitea-OTP, or use an access token',
  'error.basicWrong': 'the one-time code is wrong, or has been used already',
  'error.basicKey': 'a security key is enrolled: passwords are not accepted here, use an access token',
};
