export const en = {
  'hooks.title': 'Git hooks',
  'hooks.about':
    'Scripts that run on the server when branches or tags change. A script that starts with <code>#!</code> runs with that interpreter, any other in the shell.',
  'hooks.note.pre-receive':
    'Runs once before any ref is updated. Standard input has a line with old commit, new commit and name of each ref. A non-zero exit code rejects the push.',
  'hooks.note.update':
    'Runs before each ref is updated, with its name, old commit and new commit as arguments. A non-zero exit code rejects the push.',
  'hooks.note.post-receive': 'Runs after all refs were updated. It cannot reject the push.',
  'hooks.save': 'Save {name}',

  'error.disabled': 'Git hooks are disabled on this site ([security] DISABLE_GIT_HOOKS).',
  'error.edit': 'You do not have permission to edit Git hooks.',
  'error.read': 'You do not have permission to view Git hooks.',
  'error.missing': 'This Git hook does not exist.',
  'error.refused': 'A Git hook of this repository rejected the change.',
} as const;
