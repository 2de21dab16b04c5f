import { Joi } from '@mortise/plugin-sdk';
import type { RepositoryEdit } from '@mortise/repositories/api';
import { maxIntervalLength } from './interval.js';
import type { PullMirrorService } from './pull-mirrors.js';

/** Of `PATCH /repos/{owner}/{repo}`; ignored for repositories that are not mirrors. */
export const mirrorEdit = (pullMirrors: PullMirrorService): RepositoryEdit => ({
  key: 'mirrors',
  body: {
    mirror_interval: Joi.string()
      .allow('', null)
      .max(maxIntervalLength)
      .description('Of a pull mirror, such as 8h30m0s; 0 disables scheduled synchronization'),
    enable_prune: Joi.boolean()
      .allow(null)
      .description('Delete references of a pull mirror that no longer exist in its source'),
  },
  check({ mirror_interval: interval }, { mirror }) {
    if (mirror && typeof interval === 'string' && interval) pullMirrors.interval(interval);
  },
  async apply({ mirror_interval: interval, enable_prune: prune }, repository) {
    if (!repository.mirror) return;
    await pullMirrors.change(repository, {
      ...(typeof interval === 'string' && interval && { interval }),
      ...(typeof prune === 'boolean' && { prune }),
    });
  },
});
