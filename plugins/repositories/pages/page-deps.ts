import type { Actor, NavigationItem, PointReader, Slot } from '@mortise/plugin-sdk';
import type { ExploreRules } from '@mortise/accounts/api';
import type { RouteServices } from '../routes/route-options.js';
import type { RepositoryCreator } from '../api.js';
import type { Units } from '../services/units.js';
import type { Layout } from './layout.js';

/** What the pages of this plugin work with; each says which of them it needs. */
export interface PageDeps extends RouteServices {
  readonly layout: Layout;
  readonly units: Units;
  readonly creator: RepositoryCreator;
  readonly rules: ExploreRules;
  /** Tabs of the pages below `/explore`. */
  readonly explore: PointReader<NavigationItem>;
  /** What a new repository may begin with instead. */
  readonly starts: PointReader<Slot<{ readonly actor: Actor }>>;
}
