import type { UnitKey } from '../api.js';
import type { RouteServices } from '../routes/shared.js';
import type { Layout } from './layout.js';
import { t } from '../texts/index.js';

/** What the pages of this plugin work with; each says which of them it needs. */
export interface PageServices extends RouteServices {
  readonly layout: Layout;
}

/** What people call a unit. */
export const unitLabel = (key: UnitKey): string => t(`unit.${key}`);
