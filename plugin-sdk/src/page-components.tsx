import type { ComponentChildren, VNode } from 'preact';
import type { Actor } from './actor.js';
import { formatAgo, formatDate } from './formats.js';
import { icon } from './icon.js';
import { textOf, type Text } from './language.js';
import type { NamedSetting, NavigationItem } from './plugin.js';
import type { PointReader } from './references.js';
import type { Site } from './services.js';
import { t } from './texts/index.js';

/** For `<b>` in messages: `t.rich('signedInAs', { name, b: bold })`. */
export const bold = (children: ComponentChildren): VNode => <strong>{children}</strong>;

/** How long ago something was, in words; the whole date on hover. `time` in milliseconds since 1970 UTC. */
export function Ago({ time }: { time: number }): VNode {
  const date = new Date(time);
  // Commits carry whatever time their author's clock had.
  const valid = !Number.isNaN(date.getTime());
  return (
    <time dateTime={valid ? date.toISOString() : undefined} title={valid ? formatDate(time, 'full') : undefined}>
      {formatAgo(time)}
    </time>
  );
}

interface LazyFragmentProps {
  /**
   * Address that gives this part alone (`webPage({ fragment: true })`): as long as it is not ready, a `LazyFragment` again.
   */
  readonly href: string;
  /** What is shown meanwhile; a link to refresh the page, for those without scripts. */
  readonly children?: ComponentChildren;
}

/**
 * A part of a page that takes longer than the page should wait for: a script puts it here as soon as it is ready. Within a
 * `details` that is closed the script asks for it when that is opened.
 */
export const LazyFragment = ({ href, children }: LazyFragmentProps): VNode => (
  <div class="later-part" data-later={href}>
    {children}
  </div>
);

interface CopyButtonProps {
  /** What is put on the clipboard. */
  readonly text: string;
  /** What is read out: "Copy the command". */
  readonly label: string;
  /** The icon alone, without a frame, for buttons within a line. */
  readonly plain?: boolean;
  /** An entry of a `Menu`: the label in words. */
  readonly menu?: boolean;
}

/** Copies a text; only where scripts run, so the text stands beside it as well. */
export const CopyButton = ({ text, label, plain = false, menu = false }: CopyButtonProps): VNode => (
  <button
    class={menu ? 'dropdown-item' : plain ? 'btn-octicon p-1' : 'btn btn-sm'}
    type="button"
    data-copy-text={text}
    data-copied={t('copied')}
    aria-label={menu ? undefined : label}
    title={menu ? undefined : label}
    hidden
  >
    {menu ? label : icon('copy')}
  </button>
);

/** A command or a piece of configuration, to be copied. */
export const CopyBlock = ({
  text,
  label = t('copy'),
}: Pick<CopyButtonProps, 'text'> & Partial<Pick<CopyButtonProps, 'label'>>): VNode => (
  <div class="d-flex flex-items-start gap-2 mb-3">
    <pre class="Box p-2 flex-auto min-width-0 overflow-auto text-mono mb-0" tabIndex={0}>
      {text}
    </pre>
    <CopyButton text={text} label={label} />
  </div>
);

interface PagerProps {
  /** 1-based. */
  readonly page: number;
  /** Number of the last page, where it is known. */
  readonly last?: number;
  /** Is there a further page? Needed without `last`. */
  readonly more?: boolean;
  readonly href: (page: number) => string;
  /** What the links say; default `Previous` and `Next`. */
  readonly labels?: readonly [previous: string, next: string];
}

/** Number of the last page of a list. */
export const lastPage = (total: number, limit: number): number => Math.max(1, Math.ceil(total / limit));

/** Links to the pages before and after; nothing when there is only one. */
export function Pager({
  page,
  last,
  more,
  href,
  labels: [previous, next] = [t('pager.previous'), t('pager.next')],
}: PagerProps): VNode | null {
  const further = last === undefined ? more === true : page < last;
  if (page <= 1 && !further) return null;
  return (
    <nav class="paginate-container" aria-label={t('pager.label')}>
      <div class="pagination">
        {page > 1 ? (
          <a class="previous_page" rel="prev" href={href(page - 1)}>
            {previous}
          </a>
        ) : (
          <span class="previous_page disabled">{previous}</span>
        )}
        {last === undefined ? null : (
          <em class="current px-2">{t('pager.position', { page: Math.min(page, last), last })}</em>
        )}
        {further ? (
          <a class="next_page" rel="next" href={href(page + 1)}>
            {next}
          </a>
        ) : (
          <span class="next_page disabled">{next}</span>
        )}
      </div>
    </nav>
  );
}

interface SectionProps {
  readonly title: ComponentChildren;
  /** Of the heading; default 2, the title of a page is 1. */
  readonly level?: 1 | 2;
  /** What it holds cannot be taken back. */
  readonly danger?: boolean;
  /** Links and buttons at the end of the title. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A part of a page below its title. */
export function Section({ title, level = 2, danger, actions, children }: SectionProps): VNode {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <section class="mb-5">
      <div class="Subhead">
        <Heading class={`Subhead-heading wb-break-word${danger ? ' Subhead-heading--danger' : ''}`}>{title}</Heading>
        {actions ? <div class="Subhead-actions">{actions}</div> : null}
      </div>
      {children}
    </section>
  );
}

export interface MenuEntry {
  readonly key: string;
  readonly label: Text;
  readonly href: string;
  /** Octicon name. */
  readonly icon?: string;
  /** What can be set on the page. */
  readonly settings?: readonly NamedSetting[];
}

/** What of a menu the actor sees, with its addresses on the site. */
export const menuEntries = (
  menu: Pick<PointReader<NavigationItem>, 'list'>,
  actor: Actor,
  site: Pick<Site, 'path'>,
): readonly MenuEntry[] =>
  menu
    .list()
    .filter((item) => item.visible?.(actor) ?? true)
    .map((item) => ({ ...item, href: site.path(item.href) }));

interface MenuLayoutProps {
  readonly label: string;
  /** Shows the label as the title of the page. */
  readonly titled?: boolean;
  readonly entries: readonly MenuEntry[];
  /** Key of the entry whose page this is. */
  readonly active: string;
  /** Path of the page that searches the settings behind the menu; without it there is no search. */
  readonly search?: string;
  readonly children: ComponentChildren;
}

/**
 * Texts for an island, which reads them with `islandTexts(name)` of `@mortise/plugin-sdk/client`. What the island fills
 * in stays a placeholder: `t('saved', { name: '{name}' })`.
 */
export const IslandTexts = ({ name, texts }: { name: string; texts: Readonly<Record<string, string>> }): VNode => (
  <div hidden data-texts={name} data-messages={JSON.stringify(texts)} />
);

/** One of several pages beside the menu that leads to them, as settings have it; on a phone below the menu. */
export const MenuLayout = ({ label, titled, entries, active, search, children }: MenuLayoutProps): VNode => (
  <div class="d-md-flex menu-layout">
    <nav class="menu mb-3 flex-shrink-0 flex-self-start" aria-label={label}>
      {titled ? <h1 class="menu-heading f5">{label}</h1> : null}
      {search && active !== 'search' ? (
        <form class="menu-search" role="search" aria-label={t('settings.search')} method="get" action={search}>
          <input
            class="form-control input-sm width-full"
            type="search"
            name="q"
            placeholder={t('settings.search')}
            aria-label={t('settings.search')}
          />
        </form>
      ) : null}
      {entries.map((entry) => (
        <a key={entry.key} class="menu-item" href={entry.href} aria-current={entry.key === active ? 'page' : undefined}>
          {entry.icon ? icon(entry.icon) : null} {textOf(entry.label)}
        </a>
      ))}
    </nav>
    <div class="flex-auto min-width-0">{children}</div>
  </div>
);
