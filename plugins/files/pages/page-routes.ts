import type { Route } from '@mortise/plugin-sdk';
import { followRenames, keptInside } from '@mortise/history/api';
import { blamePage } from './blame.js';
import { finderPages } from './finder.js';
import { codePages } from './home.js';
import { searchPage } from './search.js';
import { symbolsPage } from './symbols.js';
import type { PageDeps } from './page-deps.js';

/** Every page of this plugin. */
export const allPages = (services: PageDeps): Route[] =>
  [codePages, blamePage, searchPage, finderPages, symbolsPage]
    .flatMap((pages) => pages(services))
    .map((route) => keptInside(services, followRenames(services, route)));
