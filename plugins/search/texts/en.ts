export const en = {
  title: 'Search',
  label: 'Search this site',
  kinds: 'What to search',
  repositories: 'Repositories',
  isPrivate: 'Private',
  isPublic: 'Public',
  results: '{count, plural, =0 {No results} one {# result} other {# results}}',
  'none.title': 'Nothing was found',
  'none.text': 'Every word must occur. Use fewer or other words, or look in another tab.',
  'start.title': 'What are you looking for?',
  'start.text': 'Words are found by their beginnings, "words in quotes" in this order.',
} as const;
