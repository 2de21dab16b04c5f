import type { VNode } from 'preact';
import { PostButton, icon, type Site, type Slot } from '@mortise/plugin-sdk';
import type { RepositoryPageContext } from '@mortise/repositories/api';
import type { Standing, UpstreamService } from '../services/upstream.js';
import { t } from '../texts/index.js';

/** How a fork stands to its upstream, with the button that syncs it. */
export function upstreamSlot(upstream: UpstreamService, site: Site): Slot<RepositoryPageContext> {
  return {
    key: 'forks.upstream',
    order: 10,
    async render(pageContext) {
      const standing = await upstream.standing(pageContext.context.repository, pageContext.actor);
      return standing ? <UpstreamBox pageContext={pageContext} standing={standing} site={site} /> : null;
    },
  };
}

interface UpstreamBoxProps {
  readonly pageContext: RepositoryPageContext;
  readonly standing: Standing;
  readonly site: Site;
}

function UpstreamBox({ pageContext: { context }, standing, site }: UpstreamBoxProps): VNode {
  const { repository } = context;
  const { upstream, branch, behind, ahead = 0 } = standing;
  const isBehind = behind === undefined || behind > 0;
  const values = {
    branch: <code>{branch}</code>,
    upstream: (
      <a href={site.path(`/${upstream.ownerName}/${upstream.name}`)}>
        {upstream.ownerName}/{upstream.name}
      </a>
    ),
    ahead,
    behind: behind ?? 0,
  };
  return (
    <section class="mb-3">
      <h2 class="f5 mb-2">{t('upstream.title')}</h2>
      <p>{t.rich(sentence(standing), values)}</p>
      {isBehind && context.may('write', 'code') && !repository.isArchived ? (
        <PostButton action={site.path(`/${repository.ownerName}/${repository.name}/action/sync`)}>
          {icon('sync')} {t(ahead ? 'upstream.merge' : 'upstream.sync')}
        </PostButton>
      ) : null}
    </section>
  );
}

function sentence({ behind, ahead = 0 }: Standing) {
  if (behind === undefined) return 'upstream.behindSome';
  if (behind > 0) return ahead > 0 ? 'upstream.both' : 'upstream.behind';
  return ahead > 0 ? 'upstream.ahead' : 'upstream.even';
}
