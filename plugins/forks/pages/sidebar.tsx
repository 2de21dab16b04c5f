import { PostButton, icon, type Site, type Slot } from '@mortise/plugin-sdk';
import type { RepositoryPlace } from '@mortise/repositories/api';
import type { UpstreamService } from '../services/upstream.js';

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;

/** How a fork stands to its original, with the button that brings it up. */
export function upstreamSlot(upstream: UpstreamService, site: Site): Slot<RepositoryPlace> {
  return {
    key: 'forks.upstream',
    order: 10,
    async render({ context, actor, csrf }) {
      const { repository } = context;
      const standing = await upstream.standing(repository, actor);
      if (!standing) return null;
      const { upstream: original, branch, behind, ahead } = standing;
      const home = site.path(`/${repository.ownerName}/${repository.name}`);
      const isBehind = behind === undefined || behind > 0;
      const words = [
        isBehind ? (behind === undefined ? 'behind' : `${count(behind, 'commit', 'commits')} behind`) : '',
        ahead ? `${count(ahead, 'commit', 'commits')} ahead of` : '',
      ].filter(Boolean);
      return (
        <section class="mb-3">
          <h2 class="f5 mb-2">Original</h2>
          <p>
            <code>{branch}</code> is {words.join(' and ') || 'up to date with'}{' '}
            <a href={site.path(`/${original.ownerName}/${original.name}`)}>
              {original.ownerName}/{original.name}
            </a>
            .
          </p>
          {isBehind && context.may('write', 'code') && !repository.isArchived ? (
            <PostButton action={`${home}/action/sync`} csrf={csrf}>
              {icon('sync')} {ahead ? 'Merge the original' : 'Sync fork'}
            </PostButton>
          ) : null}
        </section>
      );
    },
  };
}
