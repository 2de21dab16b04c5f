import { definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, proxySources, proxySettings, sizeLimit } from '@mortise/packages/api';
import { goFormat } from './format.js';
import { Mirror } from './services/mirror.js';
import { Modules } from './services/modules.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    const settings = host.settings('package-go', proxySettings('https://proxy.golang.org', 'example.com/acme/**'));
    host.settings('packages', sizeLimit('go'));
    host.contribute(packageFormats, { packageStore, proxySources }, (services) => {
      const source = services.proxySources.open('go', settings);
      return goFormat(new Modules(services.packageStore), services.packageStore, source && new Mirror(source));
    });
  },
});
