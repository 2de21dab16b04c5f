import { cache, definePlugin, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { helmFormat } from './format.js';
import { Charts, type ChartIndex } from './services/charts.js';

const charts = defineService<Charts>('package-helm.charts');

export default definePlugin({
  name: 'package-helm',
  version: '1.0.0',
  description: 'The Helm registry: charts with an index',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },
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
