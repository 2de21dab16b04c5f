import type { RepositoryUnit } from '@mortise/repositories/api';
import { t } from './texts/index.js';

/** Workflows and their runs. */
export const actionsUnit: RepositoryUnit = {
  key: 'actions',
  label: t.later('unit'),
  order: 80,
  field: 'has_actions',
  staysOpen: true,
};
