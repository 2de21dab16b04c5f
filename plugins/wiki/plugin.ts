import { cache, definePlugin, fromPackage, defineService, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { activityEventKinds, activityModels, activityEvents } from '@mortise/activity-events/api';
import { gitReader, gitStore, gitWriter, refsUpdated, type TreeEntry } from '@mortise/git/api';
import { gitSessionChecks } from '@mortise/git-transport/api';
import { markup } from '@mortise/markup/api';
import {
  commitWriter,
  repositories,
  repositoryDefaults,
  repositoryDeleted,
  repositoryPages,
  repositoryTabs,
  repositoryUnits,
  sshAddress,
} from '@mortise/repositories/api';
import { wikis, type WikiEntry } from './contract/wiki.js';
import { pushSession } from './events/push-check.js';
import { recordWiki, wikiKind } from './events/activity-events.js';
import { wikiPages } from './pages/routes.js';
import { wikiRoutes } from './routes/pages.js';
import { wikiUnit } from './units/wiki.js';
import { externalWiki } from './services/external.js';
import { WikiPresenter } from './services/wiki-presenter.js';
import { DeletedPageFinder, type DeletedPages } from './services/deleted-pages.js';
import { t } from './texts/index.js';
import type { PageIndex } from './services/page-index.js';
import { WikiReader, type Revisions } from './services/wiki-reader.js';
import { WikiWriter } from './services/wiki-writer.js';

/** Shared inside this plugin only. */
const wikiReader = defineService<WikiReader>('wiki.reader');
const wikiWriter = defineService<WikiWriter>('wiki.writer');
const deletedPages = defineService<DeletedPageFinder>('wiki.deletedPages');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [wikis, wikiReader, wikiWriter, deletedPages],

  register(host) {
    const ssh = host.point(sshAddress);

    host.service(wikiReader, { git: gitReader, cache, defaults: repositoryDefaults }, (services) => {
      const names = services.cache.memory<ReadonlyMap<string, TreeEntry>>('wiki.names');
      const pages = services.cache.memory<PageIndex>('wiki.pages');
      const asides = services.cache.memory<WikiEntry | 'none'>('wiki.asides');
      const revisions = services.cache.memory<Revisions>('wiki.revisions');
      const { git, defaults } = services;
      return new WikiReader({ git, names, pages, asides, revisions, defaultBranch: defaults.branch });
    });
    host.service(wikis, { wikiReader }, (services) => services.wikiReader);
    host.service(deletedPages, { reader: wikiReader, cache }, (services) => {
      const known = services.cache.memory<DeletedPages>('wiki.deletedPages');
      return new DeletedPageFinder(services.reader, known, services.cache.memory('wiki.deleted-heads'));
    });
    host.service(
      wikiWriter,
      {
        reader: wikiReader,
        store: gitStore,
        writer: gitWriter,
        commits: commitWriter,
        defaults: repositoryDefaults,
      },
      (services) => new WikiWriter({ ...services, defaultBranch: services.defaults.branch }),
    );

    host.routes({ reader: wikiReader, writer: wikiWriter, repositories, site }, (services) =>
      wikiRoutes({ ...services, presenter: new WikiPresenter(services.reader, services.repositories) }),
    );
    host.routes(
      {
        reader: wikiReader,
        writer: wikiWriter,
        deletedPages,
        repositories,
        accounts,
        markup,
        pages: repositoryPages,
        site,
      },
      (services) => wikiPages({ ...services, ssh }),
    );
    host.contribute(repositoryUnits, wikiUnit);
    host.contribute(repositoryTabs, {
      key: 'wiki',
      label: t.later('tab'),
      icon: 'book',
      href: 'wiki',
      order: 60,
      visible: ({ context }) => context.may('read', 'wiki') || externalWiki(context.repository) !== undefined,
    });
    host.island('wiki', new URL('./pages/wiki.css', import.meta.url));

    // the folder goes with the repository; this finishes what a kill has interrupted
    host.on(repositoryDeleted, 'after', 'forget-wiki', { store: gitStore }, async ({ repositoryId }, { store }) => {
      await store.delete(repositoryId, 'wiki');
    });

    host.whenPresent('git-transport', () => host.contribute(gitSessionChecks, pushSession));
    host.contribute(activityEventKinds, { models: activityModels, repositories }, wikiKind);
    host.on(refsUpdated, 'within', 'record-pages', { activityEvents }, recordWiki);
  },
});
