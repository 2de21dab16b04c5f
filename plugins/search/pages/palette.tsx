import type { VNode } from 'preact';
import {
  icon,
  Joi,
  listHref,
  pageRoute,
  textOf,
  webPage,
  wordMatcher,
  type PaletteItem,
  type Route,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { Palette, PaletteSection } from '../services/palette.js';
import { searchPath } from './search.js';
import { t } from '../texts/index.js';

interface PageDeps {
  readonly palette: Palette;
  readonly site: Site;
}

const maxTyped = 100;

/** Opens the palette; without scripts it leads to the search. */
export const paletteButton = (site: Site): Slot<object> => ({
  key: 'palette',
  order: 5,
  render: () => <PaletteButton href={site.path(searchPath)} />,
});

const PaletteButton = ({ href }: { href: string }): VNode => (
  <a class="site-button" href={href} aria-label={t('palette.open')} title={t('palette.hint')} data-palette>
    {icon('command-palette')}
  </a>
);

/** The dialog, empty; its script fills it. */
const PaletteDialog = (): VNode => (
  <dialog
    class="palette color-bg-overlay color-shadow-large"
    aria-label={t('palette.open')}
    data-here={t('palette.here')}
  >
    <div class="palette-field">
      {icon('search')}
      <input
        class="form-control"
        type="text"
        maxLength={maxTyped}
        placeholder={t('palette.open')}
        aria-label={t('palette.open')}
        autocomplete="off"
        spellcheck={false}
      />
      <button class="btn-octicon" type="button" aria-label={t('palette.close')} data-close>
        {icon('x')}
      </button>
    </div>
    <div class="palette-items" />
    <p class="palette-help">{t('palette.help')}</p>
  </dialog>
);

/** Of a menu what has all words; what has them in its title first. */
function shownOf({ isMenu, items }: PaletteSection, text: string, limit: number): readonly PaletteItem[] {
  if (!isMenu) return items;
  const fits = wordMatcher(text);
  const byTitle = items.filter(({ title }) => fits([title]));
  const others = items.filter((item) => {
    const { title, detail = '', also = [] } = item;
    return !byTitle.includes(item) && fits([title, detail, ...also]);
  });
  return [...byTitle, ...others].slice(0, limit);
}

const Item = ({ item: { href, icon: name = 'arrow-right', title, detail } }: { item: PaletteItem }): VNode => (
  <a class="palette-item" role="option" aria-selected="false" tabIndex={-1} href={href}>
    {icon(name)}
    <span>
      {textOf(title)} {detail ? <span class="palette-detail">{textOf(detail)}</span> : null}
    </span>
  </a>
);

interface ItemsProps {
  readonly sections: readonly PaletteSection[];
  readonly text: string;
  readonly limit: number;
  readonly searchHref: string;
}

const Items = ({ sections, text, limit, searchHref }: ItemsProps): VNode => {
  const shown = sections
    .map((section) => ({ ...section, items: shownOf(section, text, limit) }))
    .filter(({ items }) => items.length > 0);
  if (text) {
    const item = { href: searchHref, icon: 'search', title: t('palette.searchFor', { text }) };
    shown.push({ key: 'search', label: t('title'), isMenu: false, items: [item] });
  }
  const count = shown.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <div role="listbox" aria-label={t('palette.items')} data-status={t('palette.count', { count })}>
      {shown.map(({ key, label, items }) => (
        <div key={key} role="group" aria-labelledby={`palette-${key}`}>
          <div class="palette-heading" id={`palette-${key}`} role="presentation">
            {textOf(label)}
          </div>
          {items.map((item) => (
            <Item key={item.href} item={item} />
          ))}
        </div>
      ))}
    </div>
  );
};

const itemsQuery = Joi.object<{ readonly q: string; readonly from: string }>({
  q: Joi.string().allow('').trim().max(maxTyped).default(''),
  from: Joi.string().allow('').max(2000).default('/'),
});

/** What the script of the palette fetches: the dialog once, and what fits the words each time that something was typed. */
export const palettePages = ({ palette, site }: PageDeps): Route[] => [
  pageRoute('/-/palette', { actor: 'anyone' }, () =>
    webPage({ title: t.later('palette.open'), fragment: true, body: <PaletteDialog /> }),
  ),
  pageRoute(
    '/-/palette/items',
    { actor: 'anyone' },
    async ({ actor, query: { q: text, from: path } }) => {
      const sections = await palette.sections({ text, actor, path });
      const searchHref = site.path(listHref(searchPath, { q: text }));
      return webPage({
        title: t.later('palette.open'),
        fragment: true,
        body: <Items sections={sections} text={text} limit={palette.maxItems} searchHref={searchHref} />,
      });
    },
    { query: itemsQuery },
  ),
];
