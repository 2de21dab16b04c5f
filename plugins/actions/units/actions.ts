import type { Repository, RepositoryUnit } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** Workflows and their runs. */
export const actionsUnit: RepositoryUnit = {
  key: 'actions',
  label: t.later('unit'),
  order: 80,
  field: 'has_actions',
  staysOpen: true,
};

export const isOn = ({ units }: Pick<Repository, 'units'>): boolean =>
  units.some(({ key, enabled }) => key === actionsUnit.key && enabled);

/** Is the unit on, and anything allowed to begin? */
export const canRun = (repository: Pick<Repository, 'isArchived' | 'units'>): boolean =>
  !repository.isArchived && isOn(repository);
