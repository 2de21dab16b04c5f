export const en = {
  'state.success': 'Successful',
  'state.pending': 'Pending',
  'state.failure': 'Failed',
  'state.error': 'Error',
  'state.warning': 'Successful with warnings',
  'state.skipped': 'Skipped',

  'checks.label': 'Checks: {summary}',
  'checks.failed': '{bad, number} of {count, plural, one {# check} other {# checks}} failed',
  'checks.pending': '{waiting, number} of {count, plural, one {# check} other {# checks}} pending',
  'checks.passed': '{count, plural, one {The check passed} other {All # checks passed}}',
  'checks.defaultContext': 'default',
  'checks.details': 'Details',
  'checks.detailsOf': 'Details of {context}',

  'event.label': 'Commit status',
  'event.note': 'A status was set on a commit.',
  'event.group': 'Repository',
  'event.line': '{context} is {state} on {commit} in {repository}',
} as const;
