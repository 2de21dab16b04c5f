import type { Repository, RepositoryUnit } from '@mortise/repositories/api';
import { t } from './texts/index.js';

/** Workflows and their runs. */
export const actionsUnit: RepositoryUnit = {
  key: 'actions',
  label: t.later('unit'),
  order: 80,
  field: 'has_actions',
  staysOpen: true,
};

/** Is the unit on, and anything allowed to begin? */
export const canRun = ({ isArchived, units }: Pick<Repository, 'isArchived' | 'units'>): boolean =>
  !isArchived && units.some(({ key, enabled }) => key === actionsUnit.key && enabled);
