import { definePlugin, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { vagrantFormat } from './format.js';
import { Boxes } from './services/boxes.js';

const boxes = defineService<Boxes>('package-vagrant.boxes');

export default definePlugin({
  name: 'package-vagrant',
  version: '1.0.0',
  description: 'The Vagrant registry: boxes by version and provider',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },
  provides: [boxes],

  register(host) {
    host.service(boxes, { packageStore }, (services) => new Boxes(services.packageStore));
    host.settings('packages', sizeLimit('vagrant'));
    host.contribute(packageFormats, { boxes, packageStore }, (services) =>
      vagrantFormat(services.boxes, services.packageStore),
    );
  },
});
