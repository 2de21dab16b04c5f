import {
  cache,
  definePlugin,
  fromPackage,
  site,
  type Route,
  shortcutGroups,
  publicSettings,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader } from '@mortise/git/api';
import { markup, markupReferences } from '@mortise/markup/api';
import { repositories, repositoryAccess, repositoryPages, repositorySidebar } from '@mortise/repositories/api';
import * as api from './api.js';
import { commitPage } from './pages/commit.js';
import { commitPages } from './pages/commits.js';
import { comparePages } from './pages/compare.js';
import { commitGraphPages } from './pages/graph.js';
import { refsPage } from './pages/refs.js';
import type { PageDeps } from './pages/page-deps.js';
import { compareSlot } from './pages/sidebar.js';
import { commitPatchRoutes } from './routes/commit-text.js';
import { commitRoutes } from './routes/commits.js';
import { gitDataRoutes } from './routes/git-data.js';
import { CommitPresenter } from './services/commits.js';
import { Comparer } from './services/comparison.js';
import { diffService } from './services/diffs.js';
import { textDiffs } from './services/text-diff.js';
import { CommitAuthors, commitAuthorsRef } from './services/commit-authors.js';
import { commitReferences } from './services/references.js';
import { VerificationService } from './services/verification.js';
import { CommitViewService } from './services/commit-view-service.js';
import { commitListSettings, publicGitDataSettings, gitDataSettings, graphSettings } from './settings.js';
import { shortcutsOfPages } from './pages/shortcuts.js';

const pagesOf = (services: PageDeps): Route[] =>
  [commitPages, commitPage, commitGraphPages, comparePages, refsPage]
    .flatMap((pages) => pages(services))
    .map((route) => api.keptInside(services, api.followRenames(services, route)));

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    commitAuthorsRef,
    api.commitModels,
    api.commitViews,
    api.commitVerification,
    api.comparisons,
    api.diffs,
    api.textDiffs,
    api.signatureVerifiers,
    api.commitBadges,
    api.compareActions,
    api.commitActions,
    api.branchHistory,
    api.renamedBranches,
  ],

  register(host) {
    const verifiers = host.point(api.signatureVerifiers);
    const badges = host.point(api.commitBadges);
    const compareActions = host.point(api.compareActions);
    const commitActions = host.point(api.commitActions);
    const lists = host.settings('git', commitListSettings);
    const { GRAPH_MAX_COMMIT_NUM: graphSize } = host.settings('ui', graphSettings);
    host.contribute(publicSettings, publicGitDataSettings(host.settings('api', gitDataSettings)));
    for (const group of shortcutsOfPages) host.contribute(shortcutGroups, group);

    host.service(
      commitAuthorsRef,
      { accounts, cache },
      (services) => new CommitAuthors(services.accounts, services.cache.query('history.commitAuthors')),
    );
    host.service(api.commitVerification, {}, () => new VerificationService({ verifiers, log: host.log }));
    host.service(
      api.commitModels,
      { accounts, authors: commitAuthorsRef, git: gitReader, repositories, site, verification: api.commitVerification },
      (services) => new CommitPresenter(services),
    );
    host.service(
      api.commitViews,
      { accounts, commitAuthors: commitAuthorsRef, site, verification: api.commitVerification, cache },
      (services) =>
        new CommitViewService({ ...services, badges, cache: services.cache.memory<unknown>('history.refLabels') }),
    );
    host.service(
      api.comparisons,
      { accounts, git: gitReader, repositories, repositoryAccess },
      (services) => new Comparer(services),
    );
    host.contribute(markupReferences, { repositoryAccess, git: gitReader }, commitReferences);
    const branchHistory = host.point(api.branchHistory);
    host.service(api.renamedBranches, {}, () => ({
      newName: async (repositoryId, name) => branchHistory.list()[0]?.newName(repositoryId, name),
    }));
    host.service(api.textDiffs, {}, () => textDiffs);
    host.service(api.diffs, { markup }, (services) => diffService(services.markup));

    const common = { git: gitReader, repositories, verification: api.commitVerification, cache } as const;
    host.routes({ ...common, commits: api.commitModels, comparisons: api.comparisons }, (services) => {
      const responses = services.cache.memory<unknown>('history.answers');
      const filled = { ...services, responses, maxCommits: lists.COMMITS_RANGE_SIZE };
      return api.reportCorruptObjects(
        [...commitRoutes(filled), ...gitDataRoutes(filled), ...commitPatchRoutes(filled)].map(api.withRest),
        host.log,
      );
    });
    host.routes(
      {
        ...common,
        accounts,
        site,
        repositoryAccess,
        pages: repositoryPages,
        views: api.commitViews,
        comparisons: api.comparisons,
        diffs: api.diffs,
        renamedBranches: api.renamedBranches,
        markup,
      },
      (services) => {
        const responses = services.cache.memory<unknown>('history.facts');
        return api.reportCorruptObjects(
          pagesOf({ ...services, cache: responses, compareActions, commitActions, graphSize }),
          host.log,
        );
      },
    );

    host.contribute(repositorySidebar, { repositories, repositoryAccess, site }, compareSlot);

    host.island('lines', new URL('./pages/lines.css', import.meta.url));
    for (const name of ['shortcuts', 'filter', 'diff', 'diff-images', 'model'])
      host.island(name, new URL(`./pages/islands/${name}.js`, import.meta.url));
  },
});
