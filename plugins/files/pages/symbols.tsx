import type { VNode } from 'preact';
import { Blankslate, Joi, NotFound, icon, pageRoute, webPage, type Route } from '@mortise/plugin-sdk';
import { at, CodeBody, Crumbs, openView, pageAccess, pageContextOf, type RevisionView } from '@mortise/history/api';
import { openFile } from '../services/opened-file.js';
import { hasOutline } from '../services/symbols/file-outlines.js';
import type { FileSymbol, Outline } from '../services/symbols/outline.js';
import { symbolLanguageOf } from '../services/symbols/symbol-languages.js';
import { t } from '../texts/index.js';
import type { PageDeps } from './page-deps.js';

interface SymbolsQuery {
  /** Only the list, to be put beside the lines of the file. */
  readonly piece?: boolean;
}
const query = Joi.object<SymbolsQuery>({ piece: Joi.boolean().truthy('1').empty('') }).unknown();

/** The outline of a file: a page of its own, and the panel beside the lines. */
export const symbolsPage = (services: PageDeps): Route[] => [
  pageRoute(
    '/{owner}/{repo}/symbols/{rest*}',
    pageAccess,
    async (context) => {
      const view = await openView(services, context, context.params.rest ?? '');
      const entry = view.path ? await view.git.entry(view.revision.commit, view.path) : undefined;
      if (entry?.type !== 'blob' || entry.mode === '120000') throw NotFound('file');
      const file = await openFile(services.media, view, entry);
      const language = symbolLanguageOf(view.path);
      const text = file?.isLarge ? undefined : file?.text;
      if (text === undefined || !hasOutline(language, text)) throw NotFound(t.later('symbols.unsupported'));
      const outline = await services.outlines.of({
        key: `${view.repository.id}:${entry.oid}`,
        actor: context.actor,
        language,
        text,
      });
      const { piece } = context.query as SymbolsQuery;
      // where a file has two looks, lines are those of its source
      const source = `${at(view, 'src')}${services.markup.canRender(view.path) ? '?display=source' : ''}`;
      const list = <Outlined outline={outline} base={piece ? '' : source} />;
      if (piece) return webPage({ title: t.later('symbols.title'), fragment: true, body: list });
      return services.pages.page(pageContextOf(context), 'code', {
        title: t.later('symbols.titleOf', { path: view.path }),
        islands: ['lines', 'shortcuts'],
        body: <SymbolsBody view={view} source={source} list={list} />,
      });
    },
    { query },
  ),
];

const SymbolsBody = ({ view, source, list }: { view: RevisionView; source: string; list: VNode }): VNode => (
  <CodeBody find={at(view, 'find', '')}>
    <div class="code-row mb-3">
      <Crumbs view={view} />
      <span class="flex-auto" />
      <a class="btn btn-sm" href={source}>
        {t('code')}
      </a>
    </div>
    <h2 class="f4 mb-2">{t('symbols.title')}</h2>
    {list}
  </CodeBody>
);

function Outlined({ outline, base }: { outline: Outline | undefined; base: string }): VNode {
  if (!outline) return <p class="color-fg-muted mb-0">{t('symbols.late')}</p>;
  const { symbols, isCut } = outline;
  if (symbols.length === 0) return <Blankslate title={t('symbols.none')} plain />;
  return (
    <>
      <Branches branches={treeOf(symbols)} base={base} />
      {isCut ? <p class="f6 color-fg-muted mt-2">{t('symbols.more', { count: symbols.length })}</p> : null}
    </>
  );
}

interface Branch {
  readonly symbol: FileSymbol;
  readonly inner: Branch[];
}

/** Symbols below the ones that they stand in. */
function treeOf(symbols: readonly FileSymbol[]): Branch[] {
  const root: Branch[] = [];
  const lists = [root];
  for (const symbol of symbols) {
    const branch: Branch = { symbol, inner: [] };
    lists.length = Math.min(lists.length, symbol.depth + 1);
    lists.at(-1)!.push(branch);
    lists.push(branch.inner);
  }
  return root;
}

const Branches = ({ branches, base }: { branches: readonly Branch[]; base: string }): VNode => (
  <ul class="list-style-none symbols">
    {branches.map(({ symbol: { name, kind, line }, inner }) => (
      <li>
        <a class="symbols-entry" href={`${base}#L${line}`} title={name}>
          <span class="code-clip">{name}</span>
          {kind === 'heading' ? null : <span class="f6 color-fg-muted no-wrap">{t(`symbols.kind.${kind}`)}</span>}
        </a>
        {inner.length > 0 ? <Branches branches={inner} base={base} /> : null}
      </li>
    ))}
  </ul>
);

/** Leads to the page; the island `symbols` opens the panel instead. */
export const SymbolsButton = ({ view }: { view: RevisionView }): VNode => (
  <a class="btn btn-sm" href={at(view, 'symbols')} data-symbols>
    {icon('list-unordered')} {t('symbols.title')}
  </a>
);

/** Where the island puts the outline, beside the lines. */
export const SymbolsPanel = (): VNode => (
  <nav
    class="symbols-panel"
    id="symbols"
    aria-label={t('symbols.title')}
    data-failed={t('symbols.failed')}
    data-filter={t('symbols.filter')}
    hidden
  />
);
