import { join } from 'node:path';
import { definePlugin, defineService, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitProcesses, gitReader, gitStore, refUpdates } from '@mortise/git/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { gitVisitChecks } from './api.js';
import { smartRoutes } from './routes/smart.js';
import { PackCache } from './services/pack-cache.js';
import { Pushes } from './services/push.js';
import { Transfers } from './services/transfer.js';
import { Visits } from './services/visit.js';
import { gitHttpSettings } from './settings.js';

/** Shared inside this plugin only. */
const packCache = defineService<PackCache>('git-http.packCache');

export default definePlugin({
  name: 'git-http',
  version: '1.0.0',
  description: 'Clone, fetch and push over smart HTTP',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0' },
  provides: [gitVisitChecks, packCache],

  register(host) {
    const settings = host.settings('repository', gitHttpSettings);
    const checks = host.point(gitVisitChecks);
    host.service(
      packCache,
      { site },
      ({ site }) => new PackCache(join(site.workDir, 'cache', 'packs'), settings.PACK_CACHE_SIZE * 1024 * 1024),
    );
    host.onStart({ packs: packCache }, async ({ packs }) => packs.start());
    host.routes(
      {
        accounts,
        repositories,
        access: repositoryAccess,
        site,
        git: gitProcesses,
        store: gitStore,
        reader: gitReader,
        updates: refUpdates,
        packs: packCache,
      },
      (services) => {
        const visits = new Visits({ ...services, checks, settings });
        const transfers = new Transfers(services.git, services.packs, host.log);
        const pushes = new Pushes({ ...services, visits, transfers, settings });
        return smartRoutes({ visits, pushes, transfers, reader: services.reader });
      },
    );
  },
});
