import { Joi } from '@mortise/plugin-sdk';
import type { RepositoryEdit } from '@mortise/repositories/api';
import type { PullMirrorService } from './pull-mirrors.js';

/** Of `PATCH /repos/{owner}/{repo}`; a repository that is no mirror passes them over. */
export const mirrorEdit = (pullMirrors: PullMirrorService): RepositoryEdit => ({
  key: 'mirrors',
  body: {
    mirror_interval: Joi.string().allow('', null).description('Of a pull mirror, such as 8h30m0s; 0: not by itself'),
    enable_prune: Joi.boolean()
      .allow(null)
      .description('References of a pull mirror go when its source has them no more'),
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
