import { cache, definePlugin, defineService, site, subjects } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader, gitStore, gitWriter, refUpdates } from '@mortise/git/api';
import { markup } from '@mortise/markup/api';
import { repositories, repositoryAccess, repositoryPages, repositoryTabs } from '@mortise/repositories/api';
import { commitModels } from './api.js';
import { codePages } from './pages/code.js';
import { historyPages } from './pages/history.js';
import { contentsRoutes } from './routes/contents.js';
import { fileRoutes } from './routes/files.js';
import { gitDataRoutes } from './routes/git-data.js';
import { historyRoutes } from './routes/history.js';
import { repositoryMarkupRoutes } from './routes/markup.js';
import { referenceRoutes } from './routes/references.js';
import type { ContentServices } from './routes/shared.js';
import { ChangeService } from './services/changes.js';
import { CommitPresenter } from './services/commits.js';
import { CodeResolver } from './services/go-import.js';
import { ContentsReader } from './services/reading.js';

/** Everything of this plugin, built once; not part of the contract. */
const room = defineService<ContentServices>('contents.room');

export default definePlugin({
  name: 'contents',
  version: '1.0.0',
  description: 'Files, commits, branches, tags and trees over the API and in pages',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', markup: '^1.0.0' },
  provides: [commitModels, room],

  register(host) {
    host.service(
      room,
      {
        accounts,
        git: gitReader,
        store: gitStore,
        writer: gitWriter,
        refs: refUpdates,
        repositories,
        repositoryAccess,
        site,
        cache,
      },
      (services) => ({
        ...services,
        fresh: services.cache.fresh<unknown>('contents.fresh', { max: 1000 }),
        commits: new CommitPresenter(services),
        contents: new ContentsReader({
          ...services,
          answers: services.cache.memory<unknown>('contents.answers', { maxSize: 32 << 20 }),
        }),
        changes: new ChangeService(services),
      }),
    );
    host.service(commitModels, { room }, (services) => services.room.commits);
    host.routes({ room }, (services) => contentsRoutes(services.room));
    host.routes({ room, cache }, (services) =>
      historyRoutes({
        ...services.room,
        answers: services.cache.memory<unknown>('contents.comparisons', { maxSize: 32 << 20 }),
      }),
    );
    host.routes({ room }, (services) => gitDataRoutes(services.room));
    host.routes({ room }, (services) => referenceRoutes(services.room));
    host.routes({ room }, (services) => fileRoutes(services.room));
    host.routes({ markup }, repositoryMarkupRoutes);
    host.routes({ room, pages: repositoryPages, markup }, ({ room: services, pages, markup: markup_ }) =>
      codePages({ ...services, pages, markup: markup_ }),
    );
    host.routes({ room, pages: repositoryPages, markup }, ({ room: services, pages, markup: markup_ }) =>
      historyPages({ ...services, pages, markup: markup_ }),
    );
    const resolvers = host.point(subjects);
    host.contribute(
      subjects,
      { site, repositories },
      (services) => new CodeResolver({ ...services, subjects: resolvers }),
    );
    host.contribute(repositoryTabs, {
      key: 'code',
      label: 'Code',
      icon: 'code',
      href: '',
      order: 0,
      visible: ({ context }) => context.may('read', 'code'),
    });
    host.island('lines', new URL('../pages/code.css', import.meta.url));
    host.island('copy', new URL('./pages/copy.js', import.meta.url));
  },
});
