import { Invalid, Joi } from '@mortise/plugin-sdk';
import type { RepositoryUnit } from '../api.js';
import { t } from '../texts/index.js';

const modes: readonly string[] = ['repo', 'owner', 'all'];
const defaults = { projects_mode: 'all' };

/** Until project boards have a plugin: clients read and set whose boards are meant. */
export const projectsUnit: RepositoryUnit = {
  key: 'projects',
  label: t.later('unit.projects'),
  order: 60,
  field: 'has_projects',
  isApiOnly: true,
  isUndocumented: true,
  defaults,
  body: { projects_mode: Joi.string().allow('', null).meta({ swaggerHidden: true }) },
  change({ projects_mode: mode }) {
    if (mode && !modes.includes(mode as string))
      throw Invalid(t.later('error.oneOf', { field: 'projects_mode', values: modes.join(', ') }));
    return undefined;
  },
  record: ({ enabled, config }) => (enabled ? { ...defaults, ...config } : {}),
};

/** Where the plugin of actions is not loaded. */
export const actionsUnit: RepositoryUnit = {
  key: 'actions',
  label: t.later('unit.actions'),
  order: 80,
  field: 'has_actions',
  isApiOnly: true,
  isUndocumented: true,
};
