import type { NavigationItem, PointReader } from '@mortise/plugin-sdk';
import type { RouteServices } from '../routes/shared.js';
import type { RepositoryMaking } from '../api.js';
import type { Units } from '../services/units.js';
import type { Layout } from './layout.js';

/** What the pages of this plugin work with; each says which of them it needs. */
export interface PageServices extends RouteServices {
  readonly layout: Layout;
  readonly units: Units;
  readonly making: RepositoryMaking;
  /** Tabs of the pages below `/explore`. */
  readonly explore: PointReader<NavigationItem>;
}
