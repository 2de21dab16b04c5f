import { cache, definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { helmFormat } from './format.js';
import { Charts, type ChartIndex } from './services/charts.js';

const charts = defineService<Charts>('package-helm.charts');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [charts],

  register(host) {
    host.service(
      charts,
      { packageStore, cache },
      (services) => new Charts(services.packageStore, services.cache.query<ChartIndex>('package-helm.indexes')),
    );
    host.settings('packages', sizeLimit('helm'));
    host.contribute(packageFormats, { charts, packageStore }, (services) =>
      helmFormat(services.charts, services.packageStore),
    );
  },
});
