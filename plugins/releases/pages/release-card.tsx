import type { ComponentChildren, VNode } from 'preact';
import { Ago, formatSize, icon, type RouteContext } from '@mortise/plugin-sdk';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { Account } from '@mortise/accounts/api';
import type { RepositoryContext, RepositoryPageContext } from '@mortise/repositories/api';
import type { Attachment } from '@mortise/attachments/api';
import type { Release } from '../contract/releases.js';
import { encoded } from '../services/release-presenter.js';
import { t } from '../texts/index.js';

export const pageContextOf = (context: RouteContext<RepositoryContext>): RepositoryPageContext => ({
  context: context.resource,
  actor: context.actor,
});

/** Releases and tags side by side, as tabs of one page. */
export function SubNav({ repositoryPath, children }: { repositoryPath: string; children?: ComponentChildren }): VNode {
  return (
    <div class="d-flex flex-wrap flex-items-center mb-3 gap-2">
      <nav class="BtnGroup flex-auto" aria-label={t('list.nav')}>
        <a class="btn BtnGroup-item selected" href={`${repositoryPath}/releases`} aria-current="page">
          {icon('tag')} {t('tab')}
        </a>
        <a class="btn BtnGroup-item" href={`${repositoryPath}/tags`}>
          {t('tags')}
        </a>
      </nav>
      {children}
    </div>
  );
}

export interface ReleaseView {
  readonly release: Release;
  readonly author: Account | undefined;
  readonly assets: readonly Attachment[];
  /** Safe HTML. */
  readonly note: { readonly html: SafeHtml; readonly isCut: boolean };
  /** Commit of the tag; undefined while there is none. */
  readonly commit: string | undefined;
  /** The tag before it. */
  readonly previous: string | undefined;
  readonly isLatest: boolean;
}

export interface ViewProps {
  readonly view: ReleaseView;
  /** Address of the repository's page. */
  readonly repositoryPath: string;
  readonly path: (path: string) => string;
  readonly mayWrite: boolean;
  readonly mayReadCode: boolean;
  /** Archives of the source to download. */
  readonly hasArchives: boolean;
}

export function Labels({ release, isLatest }: { release: Release; isLatest: boolean }): VNode | null {
  if (release.isDraft) return <span class="Label Label--attention">{t('draft')}</span>;
  if (release.isPrerelease) return <span class="Label Label--secondary">{t('prerelease')}</span>;
  return isLatest ? <span class="Label Label--success">{t('latest')}</span> : null;
}

/** Tag and commit, and what has changed since the tag before. */
const ReleaseReferences = ({ view, repositoryPath, mayReadCode }: ViewProps): VNode => {
  const { release, commit, previous } = view;
  return (
    <div class="f6 color-fg-muted mb-2 flex-shrink-0 side-facts">
      <p class="mb-1 wb-break-word">
        {icon('tag')}{' '}
        {release.isDraft && !commit ? (
          release.tagName
        ) : (
          <a class="Link--primary" href={`${repositoryPath}/src/tag/${encoded(release.tagName)}`}>
            {release.tagName}
          </a>
        )}
      </p>
      {commit && mayReadCode ? (
        <p class="mb-1">
          {icon('git-commit')}{' '}
          <a class="Link--secondary text-mono" href={`${repositoryPath}/commit/${commit}`}>
            {commit.slice(0, 10)}
          </a>
        </p>
      ) : null}
      {previous && commit && mayReadCode ? (
        <p class="mb-1">
          <a
            class="Link--secondary"
            href={`${repositoryPath}/compare/${encoded(previous)}...${encoded(release.tagName)}`}
          >
            {icon('git-compare')} {t('card.compare', { tag: previous })}
          </a>
        </p>
      ) : null}
    </div>
  );
};

const Byline = ({ view: { release, author }, path }: Pick<ViewProps, 'view' | 'path'>): VNode => (
  <p class="f6 color-fg-muted">
    {t.rich(release.isDraft ? 'card.drafted' : 'card.released', {
      name: release.originalAuthor ? (
        <span class="text-bold">{release.originalAuthor}</span>
      ) : author ? (
        <a class="text-bold color-fg-default" href={path(`/${author.name}`)}>
          {author.name}
        </a>
      ) : (
        <span class="text-bold">{t('card.nobody')}</span>
      ),
      when: <Ago time={release.publishedAt || release.createdAt} />,
    })}
  </p>
);

/** One release: tag and commit at the side, notes and files beside it. */
export function ReleaseCard({ single, ...props }: ViewProps & { single?: boolean }): VNode {
  const { view, repositoryPath, path, mayWrite, mayReadCode, hasArchives } = props;
  const { release, commit } = view;
  const page = `${repositoryPath}/releases/tag/${encoded(release.tagName)}`;
  const title = release.title || release.tagName;
  return (
    <section class="d-md-flex mb-4 gap-3" aria-label={title}>
      <ReleaseReferences {...props} />
      <div class="Box flex-auto min-width-0">
        <div class="p-3">
          <div class="d-flex flex-items-start mb-1 gap-2">
            <div class="flex-auto min-width-0">
              <h2 class="f2 d-inline v-align-middle wb-break-word">
                {single ? (
                  title
                ) : (
                  <a class="Link--primary" href={page}>
                    {title}
                  </a>
                )}
              </h2>{' '}
              <Labels release={release} isLatest={view.isLatest} />
            </div>
            {mayWrite ? (
              <a
                class="btn btn-sm flex-shrink-0"
                href={`${repositoryPath}/releases/edit/${encoded(release.tagName)}`}
                aria-label={t('card.editOf', { title })}
              >
                {icon('pencil')} {t('card.edit')}
              </a>
            ) : null}
          </div>
          <Byline view={view} path={path} />
          {view.note.html ? <MarkupBody class="wb-break-word" html={view.note.html} /> : null}
          {view.note.isCut ? (
            <p class="mt-3 mb-0">
              <a href={page}>{t('card.more')}</a>
            </p>
          ) : null}
        </div>
        {release.isDraft && !commit && view.assets.length === 0 ? null : (
          <Files
            view={view}
            repositoryPath={repositoryPath}
            path={path}
            archives={commit !== undefined && mayReadCode && hasArchives}
          />
        )}
      </div>
    </section>
  );
}

function Files({
  view,
  repositoryPath,
  path,
  archives,
}: {
  view: ReleaseView;
  repositoryPath: string;
  path: (path: string) => string;
  archives: boolean;
}): VNode | null {
  const count = view.assets.length + (archives ? 2 : 0);
  if (count === 0) return null;
  const tag = encoded(view.release.tagName);
  return (
    <details class="border-top color-border-muted p-3" open>
      <summary class="text-bold">
        {t('card.assets')} <span class="Counter">{count}</span>
      </summary>
      <ul class="list-style-none mt-2">
        {view.assets.map((asset) => (
          <li class="d-flex flex-wrap flex-items-center py-2 border-top color-border-muted gap-2">
            <a
              class="text-bold flex-auto wb-break-word wb-break-word min-width-0"
              href={asset.externalUrl || path(`/attachments/${asset.uuid}`)}
              rel={asset.externalUrl ? 'nofollow noopener' : undefined}
            >
              {icon(asset.externalUrl ? 'link-external' : 'package')} {asset.name}
            </a>
            {asset.sha256 ? (
              <details class="f6 color-fg-muted">
                <summary>
                  <code>SHA-256</code>
                </summary>
                <code class="wb-break-all">{asset.sha256}</code>
              </details>
            ) : null}
            <span class="f6 color-fg-muted no-wrap">
              {asset.externalUrl ? (
                t('card.external')
              ) : (
                <>
                  {formatSize(asset.size)} · {t('card.downloads', { count: asset.downloadCount })}
                </>
              )}
            </span>
          </li>
        ))}
        {archives
          ? (['zip', 'tar.gz'] as const).map((form) => (
              <li class="py-2 border-top color-border-muted">
                <a class="text-bold" href={`${repositoryPath}/archive/${tag}.${form}`} rel="nofollow">
                  {icon('file-zip')} {t('card.source', { form })}
                </a>
              </li>
            ))
          : null}
      </ul>
    </details>
  );
}
