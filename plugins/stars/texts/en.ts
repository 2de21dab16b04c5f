export const en = {
  'button.watch': 'Watch',
  'button.unwatch': 'Unwatch',
  'button.star': 'Star',
  'button.unstar': 'Unstar',
  'button.signIn.watch': 'Sign in to watch this repository',
  'button.signIn.star': 'Sign in to star this repository',
  'button.stars': '{count, plural, one {# star} other {# stars}}',
  'button.watchers': '{count, plural, one {# watcher} other {# watchers}}',

  'users.stars': 'Stargazers',
  'users.watchers': 'Watchers',
  'users.noStars': 'No stars yet',
  'users.noWatchers': 'No watchers yet',

  'menu.stars': 'Your stars',
  'counter.stars': 'Stars',
  'tab.stars': 'Stars',
} as const;
