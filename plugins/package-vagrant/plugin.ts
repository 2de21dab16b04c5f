import { definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { vagrantFormat } from './format.js';
import { Boxes } from './services/boxes.js';

const boxes = defineService<Boxes>('package-vagrant.boxes');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [boxes],

  register(host) {
    host.service(boxes, { packageStore }, (services) => new Boxes(services.packageStore));
    host.settings('packages', sizeLimit('vagrant'));
    host.contribute(packageFormats, { boxes, packageStore }, (services) =>
      vagrantFormat(services.boxes, services.packageStore),
    );
  },
});
