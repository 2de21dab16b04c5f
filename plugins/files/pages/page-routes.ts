import type { Route } from '@mortise/plugin-sdk';
import { keptInside } from '@mortise/history/api';
import { blamePage } from './blame.js';
import { finderPages } from './finder.js';
import { codePages } from './home.js';
import { searchPage } from './search.js';
import type { PageServices } from './services.js';

/** Every page of this plugin. */
export const allPages = (services: PageServices): Route[] =>
  [codePages, blamePage, searchPage, finderPages]
    .flatMap((pages) => pages(services))
    .map((route) => keptInside(services, route));
