import { join } from 'node:path';
import { definePlugin, fromPackage, defineService, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitProcesses, gitReader, gitStore, refUpdates } from '@mortise/git/api';
import {
  branchAccess,
  repositories,
  repositoryAccess,
  repositoryDefaults,
  repositoryCreator,
} from '@mortise/repositories/api';
import { gitTransfers, gitSessionChecks, gitSessions } from './contract/git-transport.js';
import { PackCache } from './services/pack-cache.js';
import { Transfers } from './services/transfers.js';
import { Sessions } from './services/sessions.js';
import { transportSettings } from './settings.js';

/** Shared inside this plugin only. */
const packCache = defineService<PackCache>('git-transport.packCache');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [gitSessions, gitSessionChecks, gitTransfers, packCache],

  register(host) {
    const settings = host.settings('repository', transportSettings);
    const checks = host.point(gitSessionChecks);
    host.service(
      packCache,
      { site },
      ({ site }) => new PackCache(join(site.workDir, 'cache', 'packs'), settings.PACK_CACHE_SIZE * 1024 * 1024),
    );
    host.service(
      gitSessions,
      { access: repositoryAccess, accounts, creator: repositoryCreator, repositories },
      (services) => new Sessions({ ...services, checks, settings }),
    );
    host.service(
      gitTransfers,
      {
        git: gitProcesses,
        packs: packCache,
        store: gitStore,
        reader: gitReader,
        updates: refUpdates,
        repositories,
        defaults: repositoryDefaults,
        access: repositoryAccess,
        branches: branchAccess,
      },
      (services) => new Transfers({ ...services, settings, log: host.log }),
    );
    host.onStart({ packs: packCache }, async ({ packs }) => packs.start());
  },
});
