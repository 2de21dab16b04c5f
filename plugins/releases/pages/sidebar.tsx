import type { VNode } from 'preact';
import { Ago, icon, type Slot } from '@mortise/plugin-sdk';
import type { RepositoryPageContext } from '@mortise/repositories/api';
import type { Release } from '../contract/releases.js';
import { encoded } from '../services/release-presenter.js';
import type { ReleaseServices } from '../services/services.js';
import { Labels } from './release-card.js';
import { t } from '../texts/index.js';

/** The box "Releases" beside the files of a repository. */
export function latestBox({ reader, deps }: ReleaseServices): Slot<RepositoryPageContext> {
  return {
    key: 'releases',
    order: 30,
    async render({ context }) {
      const { repository } = context;
      if (!context.may('read', 'releases')) return null;
      const mayWrite = context.may('write', 'releases') && !repository.isArchived;
      if (repository.releaseCount === 0 && !mayWrite) return null;
      const repositoryPath = deps.site.path(`/${repository.ownerName}/${repository.name}`);
      const latest = repository.releaseCount ? await reader.latest(repository.id) : undefined;
      return <LatestRelease repositoryPath={repositoryPath} count={repository.releaseCount} latest={latest} />;
    },
  };
}

interface LatestProps {
  readonly repositoryPath: string;
  readonly count: number;
  readonly latest: Release | undefined;
}

function LatestRelease({ repositoryPath, count, latest }: LatestProps): VNode {
  return (
    <section class="mb-3" aria-labelledby="sidebar-releases">
      <h2 class="f5 mb-2" id="sidebar-releases">
        <a class="Link--primary no-underline" href={`${repositoryPath}/releases`}>
          {t('tab')}
        </a>{' '}
        {count ? <span class="Counter">{count}</span> : null}
      </h2>
      {latest ? (
        <p class="mb-0">
          {icon('tag', { class: 'color-fg-success' })}{' '}
          <a
            class="Link--primary text-bold wb-break-word"
            href={`${repositoryPath}/releases/tag/${encoded(latest.tagName)}`}
          >
            {latest.title || latest.tagName}
          </a>{' '}
          <Labels release={latest} isLatest />
          <br />
          <span class="f6 color-fg-muted">
            <Ago time={latest.publishedAt} />
          </span>
        </p>
      ) : count ? (
        <p class="mb-0 f6">
          <a href={`${repositoryPath}/releases`}>{t('sidebar.onlyPre')}</a>
        </p>
      ) : (
        <p class="mb-0 f6 color-fg-muted">
          {t.rich('sidebar.none', {
            link: (children) => (
              <a class="text-underline" href={`${repositoryPath}/releases/new`}>
                {children}
              </a>
            ),
          })}
        </p>
      )}
    </section>
  );
}
