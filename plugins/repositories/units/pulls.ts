import { Invalid, Joi } from '@mortise/plugin-sdk';
import type { RepositoryUnit } from '../api.js';
import { t } from '../texts/index.js';

const flags = {
  ignore_whitespace_conflicts: false,
  allow_merge_commits: true,
  allow_rebase: true,
  allow_rebase_explicit: true,
  allow_squash_merge: true,
  allow_fast_forward_only_merge: true,
  allow_merge_update: true,
  allow_rebase_update: true,
  allow_manual_merge: false,
  autodetect_manual_merge: false,
  default_delete_branch_after_merge: false,
  default_allow_maintainer_edit: true,
} as const;

const defaults = { ...flags, default_merge_style: 'merge', default_update_style: 'merge' };

/** Merge options, until pull requests have a plugin: clients read and set them, and nothing heeds them. */
export const pullsUnit: RepositoryUnit = {
  key: 'pulls',
  label: t.later('unit.pulls'),
  order: 30,
  field: 'has_pull_requests',
  isApiOnly: true,
  isHidden: true,
  defaults,
  body: {
    ...Object.fromEntries(Object.keys(flags).map((flag) => [flag, Joi.boolean()])),
    default_merge_style: Joi.string().allow(''),
    default_update_style: Joi.string().allow(''),
  },
  /** One way of updating a pull request's branch must stay, and the default must be one of those. */
  check(config) {
    if (!config.allow_merge_update && !config.allow_rebase_update) throw Invalid(t.later('error.updateStyles'));
    const style = config.default_update_style;
    if (!['merge', 'rebase'].includes(String(style)) || !config[`allow_${String(style)}_update`])
      throw Invalid(t.later('error.updateStyle'), { inputs: { default_update_style: t.later('error.updateStyle') } });
  },
  record({ enabled, config }, { openPullCount }) {
    const options = Object.entries({ ...defaults, ...config });
    // They read as off while the unit is.
    const shown = enabled
      ? options
      : options.map(([key, value]) => [key, typeof value === 'boolean' ? false : 'merge'] as const);
    return { ...Object.fromEntries(shown), open_pr_counter: openPullCount };
  },
};
