export const en = {
  'footer.sentBy': 'Sent by {site}',
  'footer.reason': 'Why this email was sent: {reason}',
  'footer.answer': 'You can reply to this email.',
  'footer.unsubscribe': 'Unsubscribe',

  'test.subject': 'Test email from {site}',
  'test.text': 'This is a test email. {site} can send email.',

  'refused.subject': 'Your reply was not accepted: {subject}',
  'refused.text': 'Your reply by email was not accepted, for this reason:',

  'error.incomingSize': 'The email is larger than {size}.',
  'error.address': 'Enter a valid email address.',
  'error.disabled': 'Email is disabled. Enable it in the section [mailer] of the configuration.',
  'error.test': 'The email could not be sent: {reason}',
  'schedule.limits': 'Delete old counts of sent emails',
  'schedule.incoming': 'Delete the records of old incoming emails',
} as const;
