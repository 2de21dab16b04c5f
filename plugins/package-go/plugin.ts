import { definePlugin } from '@mortise/plugin-sdk';
import { packageFormats, packageStore } from '@mortise/packages/api';
import { goFormat } from './format.js';
import { Modules } from './services/modules.js';

export default definePlugin({
  name: 'package-go',
  version: '1.0.0',
  description: 'The Go module proxy protocol',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },

  register(host) {
    host.contribute(packageFormats, { packageStore }, (services) =>
      goFormat(new Modules(services.packageStore), services.packageStore),
    );
  },
});
