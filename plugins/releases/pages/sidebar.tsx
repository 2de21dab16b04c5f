import { Ago, icon, type Slot } from '@mortise/plugin-sdk';
import type { RepositoryPlace } from '@mortise/repositories/api';
import { encoded } from '../services/present.js';
import type { Room } from '../services/room.js';
import { Labels } from './parts.js';

/** The box "Releases" beside the files of a repository. */
export function latestBox({ reader, parts }: Room): Slot<RepositoryPlace> {
  return {
    key: 'releases',
    order: 30,
    async render({ context }) {
      const { repository } = context;
      if (!context.may('read', 'releases')) return null;
      const mayWrite = context.may('write', 'releases') && !repository.isArchived;
      if (repository.releaseCount === 0 && !mayWrite) return null;
      const home = parts.site.path(`/${repository.ownerName}/${repository.name}`);
      const latest = repository.releaseCount ? await reader.latest(repository.id) : undefined;
      return (
        <section class="mb-3" aria-labelledby="sidebar-releases">
          <h2 class="f5 mb-2" id="sidebar-releases">
            <a class="Link--primary no-underline" href={`${home}/releases`}>
              Releases
            </a>{' '}
            {repository.releaseCount ? <span class="Counter">{repository.releaseCount}</span> : null}
          </h2>
          {latest ? (
            <p class="mb-0">
              {icon('tag', { class: 'color-fg-success' })}{' '}
              <a class="Link--primary text-bold wb-break-word" href={`${home}/releases/tag/${encoded(latest.tagName)}`}>
                {latest.title || latest.tagName}
              </a>{' '}
              <Labels release={latest} isLatest />
              <br />
              <span class="f6 color-fg-muted">
                <Ago time={latest.publishedAt} />
              </span>
            </p>
          ) : repository.releaseCount ? (
            <p class="mb-0 f6">
              <a href={`${home}/releases`}>Only pre-releases so far</a>
            </p>
          ) : (
            <p class="mb-0 f6 color-fg-muted">
              None yet. <a href={`${home}/releases/new`}>Draft the first</a>
            </p>
          )}
        </section>
      );
    },
  };
}
