import { Invalid, Joi } from '@mortise/plugin-sdk';
import type { Repository, RepositoryUnit } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** Whose boards the issues of a repository stand on: its own, those of its owner, or both. */
const modes = ['repo', 'owner', 'all'] as const;
type Mode = (typeof modes)[number];
const defaults = { projects_mode: 'all' };

/** Do issues of the repository stand on boards of the repository, or on those of its owner? */
export function allows({ units }: Pick<Repository, 'units'>, whose: 'repository' | 'owner'): boolean {
  const unit = units.find(({ key }) => key === 'projects');
  const mode = (unit?.config.projects_mode ?? 'all') as Mode;
  return Boolean(unit?.enabled) && mode !== (whose === 'repository' ? 'owner' : 'repo');
}

/** Boards of a repository. */
export const projectsUnit: RepositoryUnit = {
  key: 'projects',
  label: t.later('unit'),
  order: 60,
  field: 'has_projects',
  isHidden: true,
  defaults,
  body: { projects_mode: Joi.string().allow('', null).description('repo, owner or all') },
  change({ projects_mode: mode }) {
    if (mode && !modes.includes(mode as Mode))
      throw Invalid(t.later('error.oneOf', { field: 'projects_mode', values: modes.join(', ') }));
    return undefined;
  },
  record: ({ enabled, config }) => (enabled ? { ...defaults, ...config } : {}),
};
