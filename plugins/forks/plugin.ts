import { definePlugin, fromPackage, defineService, events, locks, site } from '@mortise/plugin-sdk';
import { accounts, ownerQuota } from '@mortise/accounts/api';
import { gitReader, gitStore, gitWriter } from '@mortise/git/api';
import {
  commitWriter,
  repositories,
  repositoryAccess,
  repositoryButtons,
  newRepositoryStarts,
  repositoryCounters,
  repositoryDefaults,
  repositoryCreator,
  repositoryPages,
  repositorySidebar,
  sshAddress,
} from '@mortise/repositories/api';
import { repositoryGenerated, templateContents } from './contract/forks.js';
import { forkButton, templateButton } from './pages/buttons.js';
import { forkPageRoutes } from './pages/fork.js';
import { forkListPage } from './pages/list.js';
import { upstreamSlot } from './pages/sidebar.js';
import { templateList } from './pages/template-list.js';
import { syncAction } from './pages/sync.js';
import { forkRoutes } from './routes/forks.js';
import { ForkService } from './services/forks.js';
import { UpstreamService } from './services/upstream.js';
import { forkSettings } from './settings.js';
import { t } from './texts/index.js';

// Not part of the contract.
const forks = defineService<ForkService>('forks.forks');
const upstream = defineService<UpstreamService>('forks.upstream');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [templateContents, repositoryGenerated, forks, upstream],

  register(host) {
    const settings = host.settings('repository', forkSettings);
    const parts = host.point(templateContents);
    const ssh = host.point(sshAddress);
    const git = { store: gitStore, reader: gitReader, writer: gitWriter, commits: commitWriter } as const;
    host.service(
      forks,
      {
        ...git,
        accounts,
        ownerQuota,
        repositories,
        creator: repositoryCreator,
        events,
        locks,
        defaults: repositoryDefaults,
      },
      (services) =>
        new ForkService({
          ...services,
          templateParts: parts,
          addresses: {
            html: (repository) => services.repositories.htmlUrl(repository),
            clone: (repository) => services.repositories.cloneUrl(repository),
            ssh: ({ ownerName, name }) => ssh.list()[0]?.address(`${ownerName}/${name}`) ?? '',
          },
          settings: {
            forkUnits: settings.DEFAULT_FORK_REPO_UNITS,
            forksOverLimit: settings.ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT,
            forcePrivate: services.defaults.forcePrivate,
          },
        }),
    );
    host.service(
      upstream,
      { ...git, access: repositoryAccess, repositories },
      (services) => new UpstreamService(services),
    );

    const common = { forks, upstream, repositories, creator: repositoryCreator } as const;
    host.routes(common, forkRoutes);
    host.routes({ ...common, accounts, defaults: repositoryDefaults, pages: repositoryPages, site }, (services) =>
      [forkPageRoutes, forkListPage, syncAction].flatMap((pages) => pages({ ...services, settings })),
    );
    host.contribute(newRepositoryStarts, { repositories, repositoryAccess, site }, templateList);
    host.contribute(repositoryButtons, forkButton);
    host.contribute(repositoryButtons, templateButton);
    host.contribute(repositoryCounters, {
      key: 'forks',
      order: 20,
      icon: 'repo-forked',
      label: t.later('counter.forks'),
      count: ({ forkCount }) => forkCount,
      sort: 'forks',
    });
    host.contribute(repositorySidebar, { upstream, site }, (services) =>
      upstreamSlot(services.upstream, services.site),
    );
  },
});
