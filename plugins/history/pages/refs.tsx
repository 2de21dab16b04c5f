import type { VNode } from 'preact';
import { Joi, pageRoute, icon, webPage, type Route } from '@mortise/plugin-sdk';
import { encodePath, repositoryPathOf, pageAccess, pageContextOf, type CodePageContext } from '../contract/pages.js';
import { isRefPage, refHref, refPages } from '../contract/ref-picker.js';
import { recentRefs, searchRefs, type NamedRef } from '../services/recent-refs.js';
import { mayRead } from '../services/may-read.js';
import { t } from '../texts/index.js';
import type { PageDeps } from './page-deps.js';

const maxInMenu = 20;
const maxInPage = 100;
const maxForks = 10;
const maxOfFork = 5;
const name = Joi.string().empty('').max(1000);

interface RefsQuery {
  readonly q?: string;
  readonly to: string;
  readonly path?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly base?: string;
  readonly head?: string;
  readonly dots: string;
  readonly piece?: boolean;
}

const query = Joi.object<RefsQuery>({
  q: Joi.string().empty('').max(200),
  to: Joi.string()
    .valid(...refPages, 'base', 'head')
    .default('src'),
  path: Joi.string().empty('').max(4096),
  kind: name,
  name,
  base: name,
  head: name,
  dots: Joi.string().valid('..', '...').default('...'),
  piece: Joi.boolean().truthy('1').empty(''),
}).unknown();

interface Entry {
  readonly name: string;
  readonly href: string;
  readonly isCurrent: boolean;
}
interface Section {
  readonly title: 'branches' | 'tags' | 'forks';
  readonly entries: readonly Entry[];
  readonly total: number;
}

/** Branches and tags, the newest first, to choose one from: as a page, and for the menus of other pages. */
export function refsPage(services: PageDeps): Route[] {
  const { git: reader, pages, repositories, repositoryAccess, cache, site } = services;

  /** Branches of related repositories, as the other side of a comparison. */
  const forked = async (context: CodePageContext): Promise<readonly NamedRef[]> => {
    const { repository } = context.resource;
    const results = await repositories.search({ forkOf: repository.id, limit: maxForks, offset: 0 }, context.actor);
    const parent = repository.forkOfId ? await repositories.byId(repository.forkOfId) : undefined;
    // a fork may be found though its code is switched off for this visitor
    const candidates = parent ? [parent, ...results.items] : results.items;
    const shown = await Promise.all(candidates.map((one) => mayRead(repositoryAccess, context.actor, one)));
    const related = candidates.filter((_one, at) => shown[at]);
    const lists = await Promise.all(
      related.map(async (fork) =>
        (await recentRefs(cache, reader.open(fork.id)))
          .filter(({ kind }) => kind === 'branch')
          .slice(0, maxOfFork * 20)
          .map((ref) => ({ ...ref, name: `${fork.ownerName}/${fork.name}:${ref.name}` })),
      ),
    );
    return lists.flat();
  };

  const sectionsOf = async (context: CodePageContext, asked: RefsQuery, max: number): Promise<Section[]> => {
    const { repository } = context.resource;
    const repositoryPath = repositoryPathOf(site, context);
    const { q = '', to, path = '', base = repository.defaultBranch, head = '', dots } = asked;
    const href = ({ kind, name }: NamedRef) => {
      if (isRefPage(to)) return refHref(repositoryPath, to, kind, name, path);
      const [left, right] = to === 'base' ? [name, head || repository.defaultBranch] : [base, name];
      return `${repositoryPath}/compare/${encodePath(`${left}${dots}${right}`)}`;
    };
    const current = to === 'base' ? base : to === 'head' ? head : asked.name;
    const all = await recentRefs(cache, reader.open(repository.id));
    const section = (title: Section['title'], refs: readonly NamedRef[], count = max): Section => {
      const matching = searchRefs(refs, q);
      return {
        title,
        total: matching.length,
        entries: matching.slice(0, count).map((ref) => ({
          name: ref.name,
          href: href(ref),
          isCurrent: ref.name === current && (!asked.kind || asked.kind === ref.kind),
        })),
      };
    };
    const branches = all.filter(({ kind }) => kind === 'branch');
    const own = branches.findIndex((ref) => ref.name === repository.defaultBranch);
    if (own > 0) branches.unshift(...branches.splice(own, 1));
    const sections = [
      section('branches', branches),
      section(
        'tags',
        all.filter(({ kind }) => kind === 'tag'),
      ),
    ];
    if (to === 'head') sections.push(section('forks', await forked(context)));
    return sections.filter(({ total }) => total > 0);
  };

  return [
    pageRoute(
      '/{owner}/{repo}/refs',
      pageAccess,
      async (context) => {
        const asked = context.query;
        const repositoryPath = repositoryPathOf(site, context);
        const sections = await sectionsOf(context as CodePageContext, asked, asked.piece ? maxInMenu : maxInPage);
        const list = <RefSections sections={sections} repositoryPath={repositoryPath} />;
        if (asked.piece) return webPage({ title: t.later('refs.title'), fragment: true, body: list });
        const { q: _q, piece: _piece, ...kept } = asked;
        return pages.page(pageContextOf(context as CodePageContext), 'code', {
          title: t.later('refs.title'),
          islands: ['lines', 'shortcuts'],
          body: <RefsBody repositoryPath={repositoryPath} asked={asked} kept={kept} list={list} />,
        });
      },
      { query },
    ),
  ];
}

function RefsBody({
  repositoryPath,
  asked,
  kept,
  list,
}: {
  repositoryPath: string;
  asked: RefsQuery;
  kept: Readonly<Record<string, unknown>>;
  list: VNode;
}): VNode {
  return (
    <div>
      <h2 class="f3 mb-3">{t('refs.title')}</h2>
      <form method="get" action={`${repositoryPath}/refs`} class="code-row mb-3" role="search">
        {Object.entries(kept).map(([key, value]) =>
          typeof value === 'string' ? <input type="hidden" name={key} value={value} /> : null,
        )}
        <input
          class="form-control input-sm"
          type="search"
          name="q"
          value={asked.q}
          placeholder={t('refs.search')}
          aria-label={t('refs.search')}
          maxLength={200}
          data-focus
        />
        <button class="btn btn-sm" type="submit">
          {t('search')}
        </button>
      </form>
      <div class="Box py-2">{list}</div>
    </div>
  );
}

function RefSections({ sections, repositoryPath }: { sections: readonly Section[]; repositoryPath: string }): VNode {
  if (sections.length === 0) return <p class="px-3 py-2 mb-0 color-fg-muted">{t('refs.none')}</p>;
  return (
    <>
      {sections.map(({ title, entries, total }) => (
        <div>
          <h3 class="f6 color-fg-muted px-3 pt-2">{t(`refs.${title}`)}</h3>
          <ul class="list-style-none">
            {entries.map((one) => (
              <li>
                <a
                  class="d-block px-3 py-1 Link--primary no-underline wb-break-word code-ref"
                  href={one.href}
                  aria-current={one.isCurrent ? 'true' : undefined}
                >
                  {one.isCurrent ? icon('check') : null} {one.name}
                </a>
              </li>
            ))}
          </ul>
          {total > entries.length ? (
            <p class="px-3 py-1 mb-0 f6">
              {title === 'forks' ? (
                t('refs.more', { count: total - entries.length })
              ) : (
                <a href={`${repositoryPath}/${title}`}>{t('refs.more', { count: total - entries.length })}</a>
              )}
            </p>
          ) : null}
        </div>
      ))}
    </>
  );
}
