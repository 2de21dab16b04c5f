export const en = {
  'button.fork': 'Fork',
  'button.forks': 'Forks',
  'button.count': '{count, plural, one {# fork} other {# forks}}',
  'button.template': 'Use this template',
  'counter.forks': 'Forks',

  'list.title': 'Forks',
  'list.new': 'New fork',

  'fork.title': 'New fork',
  'fork.about':
    'A fork is your own copy of {name}. You can change it without affecting the original. It has the same visibility as the original.',
  'fork.exists': 'You already have a fork of this repository: {fork}',
  'fork.own': 'You own this repository. Repositories cannot be forked into the account that owns them.',
  'fork.description': 'Description',
  'fork.onlyBranch': 'Copy the {branch} branch only',
  'fork.onlyBranchNote': 'Other branches and tags can be fetched later.',
  'fork.submit': 'Create fork',

  'templates.title': 'Start from {count, plural, one {a template} other {one of # templates}}',
  'templates.more': 'Further templates are found under Explore; each has a button “Use this template”.',

  'template.title': 'Use this template',
  'template.heading': 'New repository from a template',
  'template.about': 'The new repository starts with the selected items of {name}.',
  'template.private': 'Private',
  'template.privateNote': 'Only you and people you invite can see it.',
  'template.items': 'Items to copy',
  'template.files': 'Files',
  'template.filesNote':
    'Of the default branch, as a single new commit. Variables are expanded in the files that the template lists.',
  'template.topics': 'Topics',
  'template.avatar': 'Avatar',
  'template.submit': 'Create repository',

  'upstream.title': 'Upstream',
  'upstream.even': '{branch} is up to date with {upstream}.',
  'upstream.behindSome': '{branch} is behind {upstream}.',
  'upstream.behind': '{branch} is {behind, plural, one {# commit} other {# commits}} behind {upstream}.',
  'upstream.ahead': '{branch} is {ahead, plural, one {# commit} other {# commits}} ahead of {upstream}.',
  'upstream.both':
    '{branch} is {ahead, plural, one {# commit} other {# commits}} ahead of and {behind, plural, one {# commit} other {# commits}} behind {upstream}.',
  'upstream.sync': 'Sync fork',
  'upstream.merge': 'Merge upstream',

  'error.forkExists': 'A fork of this repository already exists in this account.',
  'error.noTemplate': 'This repository is not a template.',
  'error.noItems': 'Select at least one item to copy from the template.',
  'error.noFork': 'This repository is not a fork.',
  'error.upstreamHidden': 'You do not have access to the upstream repository.',
  'error.notFastForward': '{branch} has commits of its own and cannot be fast-forwarded.',
  'error.conflicts': 'The branches conflict in: {files}',
} as const;
