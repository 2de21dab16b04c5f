import { definePlugin } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { genericFormat } from './format.js';

export default definePlugin({
  name: 'package-generic',
  version: '1.0.0',
  description: 'Generic packages: any file, by name and version',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },

  register(host) {
    host.settings('packages', sizeLimit('generic'));
    host.contribute(packageFormats, { packageStore }, (services) => genericFormat(services.packageStore));
  },
});
