import type { Route } from '@mortise/plugin-sdk';
import { blamePage } from './blame.js';
import { branchPages } from './branches.js';
import { commitPage } from './commit.js';
import { commitPages } from './commits.js';
import { comparePages } from './compare.js';
import { finderPages } from './finder.js';
import { graphPages } from './graph.js';
import { codePages } from './home.js';
import { searchPage } from './search.js';
import { keptInside } from './lost.js';
import type { PageServices } from './shared.js';
import { tagPages } from './tags.js';

/** Every page of this plugin. */
export const allPages = (services: PageServices): Route[] =>
  [
    codePages,
    blamePage,
    commitPages,
    commitPage,
    graphPages,
    comparePages,
    branchPages,
    tagPages,
    searchPage,
    finderPages,
  ]
    .flatMap((pages) => pages(services))
    .map((route) => keptInside(services, route));
