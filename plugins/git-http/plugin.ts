import { definePlugin, site, unknownAddresses } from '@mortise/plugin-sdk';
import { gitTransfers, gitSessions } from '@mortise/git-transport/api';
import { smartRoutes } from './routes/smart.js';
import { gitHttpSettings } from './settings.js';

export default definePlugin({
  name: 'git-http',
  version: '1.1.0',
  description: 'Clone, fetch and push over smart HTTP',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', 'git-transport': '^1.0.0' },

  register(host) {
    const settings = host.settings('repository', gitHttpSettings);
    const others = host.point(unknownAddresses);
    host.routes({ gitSessions: gitSessions, transfers: gitTransfers, site }, (services) =>
      smartRoutes({ ...services, isOff: settings.DISABLE_HTTP_GIT, others }),
    );
  },
});
