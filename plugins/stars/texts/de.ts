import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  'button.watch': 'Beobachten',
  'button.unwatch': 'Nicht mehr beobachten',
  'button.star': 'Mit Stern markieren',
  'button.unstar': 'Stern entfernen',
  'button.signIn.watch': 'Zum Beobachten dieses Repositorys anmelden',
  'button.signIn.star': 'Zum Markieren dieses Repositorys anmelden',
  'button.stars': '{count, plural, one {# Stern} other {# Sterne}}',
  'button.watchers': '{count, plural, one {# Beobachter} other {# Beobachter}}',

  'users.stars': 'Mit Stern markiert von',
  'users.watchers': 'Beobachter',
  'users.noStars': 'Noch keine Sterne',
  'users.noWatchers': 'Noch keine Beobachter',

  'menu.stars': 'Eigene Sterne',
  'counter.stars': 'Sterne',
  'tab.stars': 'Sterne',
};
