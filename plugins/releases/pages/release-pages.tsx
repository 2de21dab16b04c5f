import type { VNode } from 'preact';
import { NotFound, pageRoute, icon, reply, type Route, type RouteContext, Pager, lastPage } from '@mortise/plugin-sdk';
import { markupIslands, type Markup } from '@mortise/markup/api';
import type { Repository, RepositoryContext, RepositoryPages } from '@mortise/repositories/api';
import type { Release } from '../contract/releases.js';
import { releaseOfTag, maySee } from '../services/access.js';
import { NoteRenderer } from '../services/notes.js';
import { encoded } from '../services/release-presenter.js';
import { releaseFiles } from '../services/files.js';
import type { ReleaseServices } from '../services/services.js';
import { readReleases } from '../routes/route-options.js';
import { ReleaseCard, SubNav, pageContextOf, type ReleaseView, type ViewProps } from './release-card.js';
import { t } from '../texts/index.js';

type Context = RouteContext<RepositoryContext>;
/** Characters of a note in the list; the release's own page has the rest. */
const maxListed = 20_000;
/** Tags among which the one before is looked for. */
const maxCompared = 1000;
const access = readReleases;

const NewButton = ({ repositoryPath }: { readonly repositoryPath: string }): VNode => (
  <a class="btn btn-primary" href={`${repositoryPath}/releases/new`}>
    {icon('plus')} {t('list.new')}
  </a>
);

interface ListProps {
  readonly shown: readonly ReleaseView[];
  readonly props: Omit<ViewProps, 'view'>;
  readonly words: string;
  readonly page: number;
  readonly last: number;
}

function List({ shown, props, words, page, last }: ListProps): VNode {
  const to = (number: number) =>
    `?${new URLSearchParams({ ...(words ? { q: words } : {}), page: String(number) }).toString()}`;
  return (
    <div>
      <h2 class="sr-only">{t('tab')}</h2>
      <SubNav repositoryPath={props.repositoryPath}>
        <form method="get" role="search" class="d-flex gap-2">
          <input
            class="form-control min-width-0"
            type="search"
            name="q"
            value={words}
            placeholder={t('list.search')}
            aria-label={t('list.searchLabel')}
          />
          <button class="btn" type="submit">
            {t('list.find')}
          </button>
        </form>
        <a class="btn" href={`${props.repositoryPath}/releases.rss`} aria-label={t('list.feed')}>
          {icon('rss')}
        </a>
        {props.mayWrite ? <NewButton repositoryPath={props.repositoryPath} /> : null}
      </SubNav>
      {shown.length === 0 ? (
        <div class="blankslate Box">
          {icon('tag', { size: 24 })}
          <h3 class="mb-1 f3">{words ? t('list.noneFound') : t('list.none')}</h3>
          <p>{words ? t('list.noneFoundText') : t('list.noneText')}</p>
        </div>
      ) : null}
      {shown.map((view) => (
        <ReleaseCard view={view} {...props} />
      ))}
      <Pager page={page} last={last} href={to} labels={[t('list.newer'), t('list.older')]} />
    </div>
  );
}

const feeds = (repositoryPath: string) =>
  (['rss', 'atom'] as const).map((form) => ({
    tag: 'link' as const,
    attributes: {
      rel: 'alternate',
      type: `application/${form}+xml`,
      title: form.toUpperCase(),
      href: `${repositoryPath}/releases.${form}`,
    },
  }));

/** What these routes share. */
function releaseContext(releaseServices: ReleaseServices, markup: Markup, pages: RepositoryPages) {
  const { reader, settings } = releaseServices;
  const { accounts, git: gitReader, site } = releaseServices.deps;
  const notes = new NoteRenderer(markup, site);
  const repositoryPathOf = (repository: Repository) => site.path(`/${repository.ownerName}/${repository.name}`);
  const views = async (context: Context, list: readonly Release[], max?: number): Promise<ReleaseView[]> => {
    const { repository } = context.resource;
    const git = gitReader.open(repository.id);
    const [assets, users, latest, order] = await Promise.all([
      releaseServices.deps.attachments.list(
        releaseFiles,
        list.map((release) => release.id),
      ),
      accounts.byIds([...new Set(list.map((release) => release.authorId))].filter(Boolean)),
      reader.latest(repository.id),
      reader.tagsNewestFirst(repository.id, maxCompared),
    ]);
    return Promise.all(
      list.map(async (release) => {
        const tag = await git.tag(release.tagName);
        const at = order.findIndex((one) => one.id === release.id);
        return {
          release,
          author: users.get(release.authorId),
          assets: assets.get(release.id) ?? [],
          note: await notes.html(repository, release, { max, viewer: context }),
          commit: tag && ((await git.peel(tag.oid))?.oid ?? tag.oid),
          // A draft is compared with the newest that is out.
          previous: release.isDraft ? order[0]?.tagName : at < 0 ? undefined : order[at + 1]?.tagName,
          isLatest: latest?.id === release.id,
        };
      }),
    );
  };
  const common = ({ resource }: Context) => ({
    repositoryPath: repositoryPathOf(resource.repository),
    path: site.path,
    mayWrite: resource.may('write', 'releases') && !resource.repository.isArchived,
    mayReadCode: resource.may('read', 'code'),
    hasArchives: pages.offersArchives,
  });
  const single = async (context: Context, release: Release) => {
    const props = common(context);
    const [view] = await views(context, [release]);
    return pages.page(pageContextOf(context), 'releases', {
      title: release.title || release.tagName,
      head: feeds(props.repositoryPath),
      islands: markupIslands,
      body: (
        <div>
          <SubNav repositoryPath={props.repositoryPath}>
            {props.mayWrite ? <NewButton repositoryPath={props.repositoryPath} /> : null}
          </SubNav>
          <ReleaseCard view={view!} {...props} single />
        </div>
      ),
    });
  };
  return { common, settings, reader, views, pages, repositoryPathOf, single, gitReader };
}

type ReleasePageContext = ReturnType<typeof releaseContext>;

const releaseList = ({ common, settings, reader, views, pages }: ReleasePageContext) =>
  pageRoute('/{owner}/{repo}/releases', access, async (context) => {
    const { resource, query } = context;
    const props = common(context);
    const limit = settings.DEFAULT_PAGING_NUM;
    const { page } = context.page;
    const words = typeof query.q === 'string' ? query.q.slice(0, 255) : '';
    const { items, total } = await reader.list({
      repositoryId: resource.repository.id,
      includeDrafts: resource.may('write', 'releases'),
      text: words,
      limit,
      offset: (page - 1) * limit,
    });
    const shown = await views(context, items, maxListed);
    return pages.page(pageContextOf(context), 'releases', {
      title: t.later('tab'),
      head: feeds(props.repositoryPath),
      islands: markupIslands,
      body: <List shown={shown} props={props} words={words} page={page} last={lastPage(total, limit)} />,
    });
  });

const latestRelease = ({ reader, repositoryPathOf }: ReleasePageContext) =>
  pageRoute('/{owner}/{repo}/releases/latest', access, async ({ resource: { repository } }) => {
    const latest = await reader.latest(repository.id);
    if (!latest) throw NotFound('release');
    return reply.redirect(`${repositoryPathOf(repository)}/releases/tag/${encoded(latest.tagName)}`, 303);
  });

const releasePage = ({ reader, single, gitReader, repositoryPathOf }: ReleasePageContext) =>
  pageRoute('/{owner}/{repo}/releases/tag/{tag*}', access, async (context) => {
    const { resource, params } = context;
    const { repository } = resource;
    const release = await reader.byTag(repository.id, params.tag ?? '');
    if (release && maySee(resource, release, context.actor)) return single(context, release);
    // A tag without a release has its files to show.
    const tag = resource.may('read', 'code') ? await gitReader.open(repository.id).tag(params.tag ?? '') : undefined;
    if (tag) return reply.redirect(`${repositoryPathOf(repository)}/src/tag/${encoded(tag.name)}`, 302);
    return single(context, await releaseOfTag(reader, resource, params.tag ?? '', context.actor));
  });

/** The list of releases, and one. */
export function releasePages(releaseServices: ReleaseServices, markup: Markup, pages: RepositoryPages): Route[] {
  const context = releaseContext(releaseServices, markup, pages);
  return [releaseList(context), latestRelease(context), releasePage(context)];
}
