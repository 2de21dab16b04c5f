import { cache, definePlugin, fromPackage, defineService, type PreparedJson } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { nugetFormat } from './format.js';
import { Feed } from './services/feed.js';

const feed = defineService<Feed>('package-nuget.feed');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [feed],

  register(host) {
    host.service(
      feed,
      { packageStore, cache },
      (services) => new Feed(services.packageStore, services.cache.query<PreparedJson>('package-nuget.registrations')),
    );
    host.settings('packages', sizeLimit('nuget'));
    host.contribute(packageFormats, { feed, packageStore }, (services) =>
      nugetFormat(services.feed, services.packageStore),
    );
  },
});
