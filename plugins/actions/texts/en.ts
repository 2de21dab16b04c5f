export const en = {
  unit: 'Actions',
  'error.actionName':
    '{name} is no name for a secret or a variable: letters, digits and _, not beginning with a digit, CI, GITEA_, GITHUB_ or MORTISE_.',
  'error.actionValue': 'The value is longer than {max, number} bytes.',
  'error.variableTaken': 'There is a variable {name} already.',
} as const;
