/** What follows another repository takes no changes from anybody else. */
import { Forbidden, Locked } from '@mortise/plugin-sdk';
import type { RefCheck } from '@mortise/git/api';
import type { GitSessionCheck } from '@mortise/git-transport/api';
import type { Repositories } from '@mortise/repositories/api';
import type { PullMirrorService } from './pull-mirrors.js';
import { t } from '../texts/index.js';

interface ReadOnlyDeps {
  readonly repositories: Repositories;
  readonly pullMirrors: PullMirrorService;
}

/** Whether the mirror manages this repository (or its wiki). */
async function isFollowing({ repositories, pullMirrors }: ReadOnlyDeps, repositoryId: number, kind: 'code' | 'wiki') {
  if (!(await repositories.basicsById(repositoryId))?.mirror) return false;
  return kind === 'code' || ((await pullMirrors.of(repositoryId))?.wiki ?? false);
}

export const mirrorRefCheck = (deps: ReadOnlyDeps): RefCheck => ({
  key: 'mirrors',
  order: -10,
  async check({ repositoryId, kind, source, updates }) {
    if (source === 'mirror' || source === 'internal') return;
    // pull requests and the like keep references of their own
    if (!updates.some(({ ref }) => /^refs\/(?:heads|tags)\//.test(ref))) return;
    if (await isFollowing(deps, repositoryId, kind)) throw Locked(t.later('error.readOnly'));
  },
});

export const mirrorSessionCheck = (deps: ReadOnlyDeps): GitSessionCheck => ({
  key: 'mirrors',
  async check({ context, kind, service }) {
    if (service === 'receive-pack' && (await isFollowing(deps, context.repository.id, kind)))
      throw Forbidden(t.later('error.readOnly'));
  },
});
