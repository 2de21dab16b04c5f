export const en = {
  'runner.title': 'Built-in runner',
  'runner.about':
    'A runner on this machine takes jobs of workflows, without a program that has to be installed. It serves only those whom you name here. When an account is deleted, the runner serves it no longer; who takes the name later is not served.',
  'runner.danger': 'What it isolates, and what not',
  'runner.onMachine':
    'Jobs run on this machine as ordinary processes of the user <user></user>, unless they have a container. They read and write whatever that user may, reach every service that this machine reaches, and have no limit of memory or processors.',
  'runner.fresh':
    'Each job gets a fresh workspace, an environment of its own, and all of its processes are ended. That keeps jobs tidy; it is no protection against anybody.',
  'runner.sameUser':
    'That user is the one of the server: a job can read its database, its settings and all repositories. Set USER in [actions.runner] to run jobs as another.',
  'runner.trust':
    'So name only owners whom you would let log in to this machine. Whoever may write to one of their repositories can run programs here.',
  'runner.serves': 'Owners whose jobs it takes',
  'runner.servesNote': 'Names of users or organizations, separated by commas.',
  'runner.forAll': 'Take jobs of every repository, whoever owns it',
  'runner.start': 'Start the runner',
  'runner.change': 'Save',
  'runner.stop': 'Stop the runner',
  'runner.stopConfirm': 'Stop the runner? Jobs that run on it are cancelled.',
  'runner.runs': 'The runner takes jobs of {names}.',
  'runner.stands': 'The runner is stopped.',
  'runner.all': 'every repository',
  'runner.bySettings': 'The settings of the server decide this: [actions.runner] ENABLED and SERVES.',
  'runner.asRoot': 'Jobs must not run as root. Name a user in [actions.runner] USER and start the server again.',
  'runner.nobody': 'Name at least one owner.',
  'runner.tooMany': 'At most {count} owners can be named.',
  'runner.unknown': 'There is no owner {name}.',
} as const;
