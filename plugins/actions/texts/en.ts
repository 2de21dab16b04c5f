export const en = {
  'feature.text': 'Build, test and deploy with every push.',
  'error.approver':
    'An approval does not count from the author of the pull request, nor from somebody who pushed to it since it was opened.',
  unit: 'Actions',
  'error.actionName':
    '{name} is no name for a secret or a variable: letters, digits and _, not beginning with a digit, CI, GITEA_, GITHUB_ or MORTISE_.',
  'error.actionValue': 'The value is longer than {max, number} bytes.',
  'error.variableTaken': 'There is a variable {name} already.',
  'obstacle.scoped': 'Required workflows have not passed: {checks}',
  'event.group': 'Workflow events',
  'event.run': 'Workflow run',
  'event.runNote': 'A workflow run is queued, starts or finishes.',
  'event.job': 'Workflow job',
  'event.jobNote': 'A workflow job is queued, starts or finishes.',
  'event.runLine':
    'Run “{title}” of {repository} {result, select, success {succeeded} failure {failed} cancelled {was cancelled} other {was skipped}}',
  'event.jobLine':
    'Job “{title}” of {repository} {result, select, success {succeeded} failure {failed} cancelled {was cancelled} other {was skipped}}',
} as const;
