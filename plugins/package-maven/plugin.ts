import { cache, definePlugin, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore } from '@mortise/packages/api';
import { mavenFormat } from './format.js';
import { Artifacts } from './services/artifacts.js';

const artifacts = defineService<Artifacts>('package-maven.artifacts');

export default definePlugin({
  name: 'package-maven',
  version: '1.0.0',
  description: 'The Maven repository protocol',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },
  provides: [artifacts],

  register(host) {
    host.service(
      artifacts,
      { packageStore, cache },
      (services) =>
        new Artifacts(services.packageStore, services.cache.fresh<Buffer>('package-maven.metadata', { max: 500 })),
    );
    host.contribute(packageFormats, { artifacts }, (services) => mavenFormat(services.artifacts));
  },
});
