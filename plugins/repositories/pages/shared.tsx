import type { UnitKey } from '../api.js';
import type { RouteServices } from '../routes/shared.js';
import type { Layout } from './layout.js';

/** What the pages of this plugin work with; each says which of them it needs. */
export interface PageServices extends RouteServices {
  readonly layout: Layout;
}

export const unitLabels: Readonly<Record<UnitKey, string>> = {
  code: 'Code',
  issues: 'Issues',
  pulls: 'Pull requests',
  releases: 'Releases',
  wiki: 'Wiki',
  projects: 'Projects',
  packages: 'Packages',
  actions: 'Actions',
};
