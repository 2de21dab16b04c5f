export const en = {
  'error.exceeded': 'There is no room for this in the quota of the owner: {used} of {limit} are used.',
  'error.tooMany': 'There can be at most {max, number} of them.',
  'error.tooManyOfUser': 'An account can be in at most {max, number} groups.',
  'error.ruleTaken': 'There is a quota rule “{name}” already.',
  'error.groupTaken': 'There is a quota group “{name}” already.',
  'error.ruleInGroup': 'The rule is in the group already.',
  'error.userInGroup': 'The account is in the group already.',
  'error.noGroup': 'There is no quota group “{name}”.',
  'error.onlyAccounts': 'Only accounts have quotas.',
  'schedule.measure-storage': 'Measure sizes of repositories and wikis',
} as const;
