import {
  database,
  pageIslands,
  paletteSources,
  shortcutGroups,
  site,
  userMenu,
  type PluginHost,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { paletteButton, palettePages } from './pages/palette.js';
import { Palette } from './services/palette.js';
import { accountPalette, filePalette, repositoryPalette } from './services/palette-sources.js';
import { t } from './texts/index.js';

/** The command palette, and suggestions below the search field of the top bar. */
export function registerPalette(host: PluginHost): void {
  const palette = new Palette(host.point(paletteSources));
  host.contribute(paletteSources, { repositories, site }, repositoryPalette);
  host.contribute(paletteSources, { accounts, site }, accountPalette);
  host.contribute(paletteSources, { database, repositoryAccess, site }, filePalette);
  host.contribute(userMenu, { site }, (services) => paletteButton(services.site));
  host.contribute(pageIslands, { key: 'palette', islands: ['palette-keys'] });
  host.contribute(shortcutGroups, {
    key: 'palette',
    title: t.later('title'),
    keys: [['Ctrl+K', t.later('palette.shortcut')]],
    order: 5,
  });
  for (const name of ['palette-keys', 'palette'])
    host.island(name, new URL(`./pages/islands/${name}.js`, import.meta.url));
  host.island('palette-style', new URL('./pages/palette.css', import.meta.url));
  host.routes({ site }, (services) => palettePages({ ...services, palette }));
}
