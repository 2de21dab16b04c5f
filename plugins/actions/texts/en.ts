export const en = {
  'feature.text': 'Build, test and deploy with every push.',
  'error.approver':
    'An approval does not count from the author of the pull request, nor from somebody who pushed to it since it was opened.',
  unit: 'Actions',
  'error.branchPattern': '{pattern} is no pattern for branches and tags.',
  'error.branchPolicy': 'Branches are allowed by patterns: send custom_branch_policies with branch_patterns.',
  'error.commentLength': 'The comment is longer than {max, number} characters.',
  'error.environmentCount': 'A repository has at most {max, number} environments.',
  'error.environmentName':
    'A name of an environment has 1 to {max, number} characters, without quotes, commas, semicolons and backslashes.',
  'error.environmentTaken': 'There is an environment {name} already.',
  'error.environmentWaiting': 'Jobs wait for the environment {name}: approve, reject or cancel them first.',
  'error.noEnvironment': 'Choose an environment.',
  'error.notWaiting': 'No job of the run waits for a review of this environment.',
  'error.patternCount': 'An environment has at most {max, number} patterns.',
  'error.reviewer': 'You are not a reviewer of deployments to {name}.',
  'error.reviewerAccess': '{name} cannot read the workflow runs of this repository.',
  'error.reviewerCount': 'An environment has at most {max, number} reviewers.',
  'error.waitMinutes': 'The wait is a number of minutes from 0 to {max, number}.',
  'reason.deploymentReview': 'Your review of a deployment was requested',
  'subject.run': 'Workflow run',
  'error.actionName':
    '{name} is no name for a secret or a variable: letters, digits and _, not beginning with a digit, CI, GITEA_, GITHUB_ or MORTISE_.',
  'error.actionValue': 'The value is longer than {max, number} bytes.',
  'error.variableTaken': 'There is a variable {name} already.',
  'obstacle.scoped': 'Required workflows have not passed: {checks}',
  'obstacle.scoped.show': 'Show the checks',
  'event.group': 'Workflow events',
  'event.run': 'Workflow run',
  'event.runNote': 'A workflow run is queued, starts or finishes.',
  'event.job': 'Workflow job',
  'event.jobNote': 'A workflow job is queued, starts or finishes.',
  'event.runLine':
    'Run “{title}” of {repository} {result, select, success {succeeded} failure {failed} cancelled {was cancelled} other {was skipped}}',
  'event.jobLine':
    'Job “{title}” of {repository} {result, select, success {succeeded} failure {failed} cancelled {was cancelled} other {was skipped}}',
  'step.runner': 'Connect a runner for Actions',
} as const;
