export const en = {
  unit: 'Actions',
  'error.actionName':
    '{name} is no name for a secret or a variable: letters, digits and _, not beginning with a digit, CI, GITEA_, GITHUB_ or MORTISE_.',
  'error.actionValue': 'The value is longer than {max, number} bytes.',
  'error.variableTaken': 'There is a variable {name} already.',
  'obstacle.scoped': 'Required workflows have not passed: {checks}',
  'event.group': 'Workflow events',
  'event.run': 'Workflow run',
  'event.runNote': 'A run of a workflow was asked for, began or ended.',
  'event.job': 'Workflow job',
  'event.jobNote': 'A job of a workflow waits, began or ended.',
  'event.runLine': 'Run “{title}” of {repository} ended: {result}',
  'event.jobLine': 'Job “{title}” of {repository} ended: {result}',
} as const;
