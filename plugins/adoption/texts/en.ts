export const en = {
  'adopt.title': 'Unadopted repositories',
  'adopt.about':
    'Bare repositories that an operator placed in <folder></folder> of the work directory, as <path></path>. Adopting one turns it into a private repository of that owner and removes the folder.',
  'adopt.none': 'Nothing to adopt',
  'adopt.adopt': 'Adopt',
  'adopt.adoptOf': 'Adopt {path}',
  'adopt.delete': 'Delete',
  'adopt.deleteOf': 'Delete {path}',
  'adopt.deleteConfirm': 'Delete the folder of {path}? Its commits and files will be lost.',

  'error.admin': 'Only site administrators can do this.',
  'error.otherOwner': 'You can only adopt or delete repositories under your own name.',
  'error.nameTaken': 'A repository with this name already exists.',
  'error.missing': 'This unadopted repository does not exist.',
} as const;
