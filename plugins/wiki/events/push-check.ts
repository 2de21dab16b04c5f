import { NotFound } from '@mortise/plugin-sdk';
import type { GitSessionCheck } from '@mortise/git-transport/api';

/** To who may not write, a wiki to push to is not there (as git-wiki expects); reading it is another matter. */
export const pushSession: GitSessionCheck = {
  key: 'wiki',
  async check({ kind, service, context }) {
    if (kind === 'wiki' && service === 'receive-pack' && !context.may('write', 'wiki')) throw NotFound('repository');
  },
};
