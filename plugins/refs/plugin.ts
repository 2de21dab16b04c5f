import {
  cache,
  database,
  definePlugin,
  fromPackage,
  defineService,
  events,
  site,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader, gitStore, gitWriter, keptCommits, refUpdates, refsUpdated } from '@mortise/git/api';
import {
  branchHistory,
  commitActions,
  commitModels,
  commitVerification,
  commitViews,
  reportCorruptObjects,
  keptInside,
  withRest,
} from '@mortise/history/api';
import { repositories, repositoryDeleting, repositoryPages } from '@mortise/repositories/api';
import * as api from './api.js';
import { branchPages } from './pages/branches.js';
import { commitRefs } from './pages/commit-actions.js';
import { tagPages } from './pages/tags.js';
import { branchRoutes } from './routes/branches.js';
import { tagRoutes } from './routes/tags.js';
import { BranchRuleRegistry } from './services/branch-rules.js';
import { BranchService } from './services/branches.js';
import { DeletedBranches } from './services/deleted-branches.js';
import { RenamedBranches } from './services/renamed-branches.js';
import { RefUpdater } from './services/ref-updater.js';
import { TagService } from './services/tags.js';

// Services of this plugin alone; not part of the contract.
const branchService = defineService<BranchService>('refs.branches');
const tagService = defineService<TagService>('refs.tags');
const deletedBranches = defineService<DeletedBranches>('refs.deletedBranches');
const renamedBranches = defineService<RenamedBranches>('refs.renamedBranches');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [api.branchRules, api.branchRenamed, branchService, tagService, deletedBranches, renamedBranches],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, {
      key: 'refs',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    const branchRules = new BranchRuleRegistry(host.point(api.branchRules));

    host.service(deletedBranches, { database }, (services) => new DeletedBranches(services));
    host.service(renamedBranches, { database }, (services) => new RenamedBranches(services));
    host.contribute(branchHistory, { renamed: renamedBranches }, ({ renamed }) => renamed);
    host.contribute(keptCommits, { deleted: deletedBranches }, ({ deleted }) => ({
      key: 'refs.deletedBranches',
      list: (repositoryId, kind) => (kind === 'code' ? deleted.commits(repositoryId) : Promise.resolve([])),
    }));
    host.service(
      branchService,
      {
        git: gitReader,
        store: gitStore,
        refs: refUpdates,
        repositories,
        events,
        commits: commitModels,
        deleted: deletedBranches,
        renamed: renamedBranches,
        cache,
      },
      (services) =>
        new BranchService({
          ...services,
          branchRules,
          refUpdater: new RefUpdater(services),
          fresh: services.cache.query<unknown>('refs.branches'),
        }),
    );
    host.service(
      tagService,
      { accounts, git: gitReader, writer: gitWriter, refs: refUpdates, repositories },
      (services) => new TagService({ ...services, refUpdater: new RefUpdater(services) }),
    );

    host.routes({ git: gitReader, branches: branchService, tags: tagService }, (services) =>
      reportCorruptObjects([...branchRoutes(services), ...tagRoutes(services)].map(withRest), host.log),
    );
    const pageServices = { git: gitReader, site, pages: repositoryPages } as const;
    host.routes(
      { ...pageServices, accounts, views: commitViews, branches: branchService, deleted: deletedBranches },
      (services) =>
        reportCorruptObjects(
          branchPages({ ...services, branchRules }).map((route) => keptInside(services, route)),
          host.log,
        ),
    );
    host.routes({ ...pageServices, verification: commitVerification, tags: tagService, cache }, (services) =>
      reportCorruptObjects(
        tagPages({ ...services, cache: services.cache.memory<unknown>('refs.facts') }).map((route) =>
          keptInside(services, route),
        ),
        host.log,
      ),
    );

    host.contribute(commitActions, {}, () => commitRefs);

    const formerBranches = { deletedBranches, renamedBranches } as const;
    host.on(refsUpdated, 'within', 'note-deleted-branches', formerBranches, async (change, services) => {
      if (change.kind !== 'code') return;
      await services.deletedBranches.record(change);
      await services.renamedBranches.forgetTaken(change);
    });
    host.on(repositoryDeleting, 'within', 'forget-branches', formerBranches, async ({ repositoryId }, services) => {
      await services.deletedBranches.forget(repositoryId);
      await services.renamedBranches.forget(repositoryId);
    });
    // Git's own note of the default branch follows, also when the process ended between the database and git.
    host.on(
      api.branchRenamed,
      'after',
      'move-head',
      { repositories, gitStore },
      async ({ repositoryId, to }, services) => {
        const now = await services.repositories.byId(repositoryId);
        if (now?.defaultBranch === to) await services.gitStore.setHead(repositoryId, to);
      },
    );
  },
});
