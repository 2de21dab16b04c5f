import type { Actor } from './actor.js';
import type { Text } from './language.js';
import type { MenuEntry } from './page-components.js';
import { definePoint, type Keyed } from './references.js';

/** Somewhere to go from the command palette. */
export interface PaletteItem {
  /** On this site, with its path (`site.path`). */
  readonly href: string;
  readonly title: Text;
  /** Beside the title, for instance the page that a setting is on. */
  readonly detail?: Text;
  /** Octicon name. */
  readonly icon?: string;
  /** Other words by which an entry of a menu is found. */
  readonly also?: readonly Text[];
}

/** What was asked of the command palette. */
export interface PaletteRequest {
  /** What was typed, at most 100 characters; may be empty. */
  readonly text: string;
  readonly actor: Actor;
  /** Of the page that the palette was opened on, below the root of the site: `/ada/wheel/issues`. As the browser sent it. */
  readonly path: string;
  /** More items are not shown. */
  readonly limit: number;
}

/** A section of the command palette. One that takes longer than 200 ms is left out. */
export interface PaletteSource extends Keyed {
  readonly label: Text;
  readonly order?: number;
  /**
   * `find` gives everything there is, whatever was typed: the palette shows what has all words in its texts, in the
   * visitor's language or in English, and nothing before something was typed.
   */
  readonly isMenu?: boolean;
  /** Only what the actor may open, the best first. */
  find(request: PaletteRequest): Promise<readonly PaletteItem[]>;
}
/** Sections of the command palette, which the plugin `search` shows. */
export const paletteSources = definePoint.keyed<PaletteSource>('core.paletteSources', { fallback: { find: [] } });

/** A menu of settings as items: its pages, and what can be set on each. */
export const paletteItemsOf = (entries: readonly MenuEntry[]): readonly PaletteItem[] =>
  entries.flatMap(({ href, icon = 'gear', label, settings = [] }) => [
    { href, icon, title: label },
    ...settings.map((setting) => ({
      href: setting.field ? `${href}#${setting.field}` : href,
      icon,
      title: setting.label,
      detail: label,
      also: setting.also,
    })),
  ]);
