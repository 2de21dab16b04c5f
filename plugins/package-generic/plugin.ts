import { definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { genericFormat } from './format.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    host.settings('packages', sizeLimit('generic'));
    host.contribute(packageFormats, { packageStore }, (services) => genericFormat(services.packageStore));
  },
});
