import { cache, definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, proxySources, proxySettings, sizeLimit } from '@mortise/packages/api';
import { mavenFormat } from './format.js';
import { Artifacts } from './services/artifacts.js';
import { Mirror } from './services/mirror.js';

const artifacts = defineService<Artifacts>('package-maven.artifacts');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [artifacts],

  register(host) {
    const settings = host.settings(
      'package-maven',
      proxySettings('https://repo.maven.apache.org/maven2', 'com/acme/**'),
    );
    host.service(artifacts, { packageStore, cache, proxySources }, (services) => {
      const source = services.proxySources.open('maven', settings);
      const metadata = services.cache.query<Buffer>('package-maven.metadata');
      return new Artifacts(services.packageStore, metadata, source && new Mirror(source));
    });
    host.settings('packages', sizeLimit('maven'));
    host.contribute(packageFormats, { artifacts }, (services) => mavenFormat(services.artifacts));
  },
});
