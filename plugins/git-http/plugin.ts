import { definePlugin, fromPackage, site, unknownAddresses } from '@mortise/plugin-sdk';
import { gitTransfers, gitSessions } from '@mortise/git-transport/api';
import { smartRoutes } from './routes/smart.js';
import { gitHttpSettings } from './settings.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    const settings = host.settings('repository', gitHttpSettings);
    const others = host.point(unknownAddresses);
    host.routes({ gitSessions: gitSessions, transfers: gitTransfers, site }, (services) =>
      smartRoutes({ ...services, isOff: settings.DISABLE_HTTP_GIT, others }),
    );
  },
});
