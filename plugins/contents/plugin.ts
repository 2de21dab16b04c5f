import {
  cache,
  database,
  definePlugin,
  defineJob,
  defineService,
  events,
  locks,
  site,
  storage,
  subjects,
  unknownAddresses,
  type Site,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader, gitStore, gitWriter, refUpdates, refsUpdated } from '@mortise/git/api';
import { markup, markupRenderers } from '@mortise/markup/api';
import {
  repositories,
  repositoryAccess,
  repositoryDeleted,
  repositoryDeleting,
  repositoryPages,
  repositorySidebar,
  repositoryTabs,
  sshAddress,
  type Repositories,
} from '@mortise/repositories/api';
import {
  branchRenamed,
  branchRules,
  commitMarks,
  commitModels,
  commitSigners,
  commitVerification,
  compareActions,
  fileActions,
  fileChanges,
  mediaSources,
  signatureVerifiers,
} from './api.js';
import { allPages } from './pages/all.js';
import { allRoutes } from './routes/all.js';
import { repositoryMarkupRoutes } from './routes/markup.js';
import type { ContentServices } from './routes/shared.js';
import { CodeResolver } from './services/go-import.js';
import { damageAware } from './services/damage.js';
import { NotebookRenderer } from './services/notebook.js';
import { archiveCleanupSettings, commitListSettings, durationOf } from './settings.js';
import { makeRoom } from './services/room.js';
import { warmHome } from './services/warming.js';
import { VerificationService } from './services/verification.js';

/** Everything of this plugin, built once; not part of the contract. */
const room = defineService<ContentServices>('contents.room');

const cleanArchives = defineJob<Record<string, never>>('contents.cleanArchives');

export default definePlugin({
  name: 'contents',
  version: '1.0.0',
  description: 'Files, commits, branches, tags and trees over the API and in pages',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', markup: '^1.0.0' },
  provides: [
    commitModels,
    commitVerification,
    signatureVerifiers,
    commitSigners,
    branchRules,
    branchRenamed,
    commitMarks,
    fileActions,
    fileChanges,
    compareActions,
    mediaSources,
    cleanArchives,
    room,
  ],

  register(host) {
    const verifiers = host.point(signatureVerifiers);
    const signers = host.point(commitSigners);
    const rules = host.point(branchRules);
    const marks = host.point(commitMarks);
    const actions = host.point(fileActions);
    const media = host.point(mediaSources);
    host.service(commitVerification, {}, () => new VerificationService({ verifiers, log: host.log }));
    host.service(
      room,
      {
        accounts,
        database,
        locks,
        storage,
        events,
        verification: commitVerification,
        git: gitReader,
        store: gitStore,
        writer: gitWriter,
        refs: refUpdates,
        repositories,
        repositoryAccess,
        site,
        cache,
      },
      (services) =>
        makeRoom(services, {
          signers,
          rules,
          marks,
          actions,
          media,
        }),
    );
    const cleaning = host.settings('cron.archive_cleanup', archiveCleanupSettings);
    host.job(cleanArchives, {}, { room }, async (_payload, { room: { archives } }) => {
      if (cleaning.ENABLED) await archives.clean(durationOf(cleaning.OLDER_THAN));
    });
    host.schedule('clean-archives', '0 0 * * *', cleanArchives, {});
    host.on(repositoryDeleted, 'after', 'forget-archives', { room }, ({ repositoryId }, { room: { archives } }) =>
      archives.forget(repositoryId),
    );
    // Whoever looks at a repository after a push finds the slow answers made.
    host.on(refsUpdated, 'after', 'warm-home', { room, repositories }, async (change, services) => {
      if (change.kind === 'code') await warmHome(services, change);
    });
    host.migrations(new URL('./migrations/', import.meta.url));
    host.on(refsUpdated, 'within', 'note-deleted-branches', { room }, async (change, { room: { deleted } }) => {
      if (change.kind === 'code') await deleted.follow(change);
    });
    host.on(repositoryDeleting, 'within', 'forget-branches', { room }, ({ repositoryId }, { room: { deleted } }) =>
      deleted.forget(repositoryId),
    );
    // Git's own note of the default branch follows, also when the process ended between the database and git.
    host.on(branchRenamed, 'after', 'move-head', { repositories, gitStore }, async ({ repositoryId, to }, services) => {
      const now = await services.repositories.byId(repositoryId);
      if (now?.defaultBranch === to) await services.gitStore.setHead(repositoryId, to);
    });
    host.service(fileChanges, { room }, (services) => services.room.changes);
    host.service(commitModels, { room }, (services) => services.room.commits);
    const lists = host.settings('git', commitListSettings);
    host.routes({ room, cache }, (services) => {
      const answers = services.cache.memory<unknown>('contents.comparisons', { maxSize: 16 << 20 });
      return damageAware(allRoutes({ ...services.room, answers, mostCommits: lists.COMMITS_RANGE_SIZE }), host.log);
    });
    host.routes({ markup }, repositoryMarkupRoutes);
    const points = {
      sidebar: host.point(repositorySidebar),
      ssh: host.point(sshAddress),
      compareActions: host.point(compareActions),
    };
    host.routes({ room, pages: repositoryPages, markup, cache }, (services) =>
      damageAware(
        allPages({
          ...services.room,
          ...points,
          pages: services.pages,
          markup: services.markup,
          facts: services.cache.memory<unknown>('contents.facts', { maxSize: 8 << 20 }),
        }),
        host.log,
      ),
    );
    host.contribute(
      markupRenderers,
      { markup },
      ({ markup: texts }) =>
        new NotebookRenderer({
          markdown: (text, context) => texts.renderMarkdown(text, context),
          code: (fileName, text) => texts.highlight(fileName, text).lines,
        }),
    );
    const resolvers = host.point(subjects);
    const resolver = (services: { site: Site; repositories: Repositories }) =>
      new CodeResolver({ ...services, subjects: resolvers });
    host.contribute(subjects, { site, repositories }, resolver);
    host.contribute(unknownAddresses, { site, repositories }, (services) => resolver(services).below);
    host.contribute(repositoryTabs, {
      key: 'code',
      label: 'Code',
      icon: 'code',
      href: '',
      order: 0,
      visible: ({ context }) => context.may('read', 'code'),
    });
    host.island('lines', new URL('../pages/code.css', import.meta.url));
    for (const name of ['copy', 'code', 'shortcuts', 'filter', 'finder'])
      host.island(name, new URL(`./pages/islands/${name}.js`, import.meta.url));
  },
});
