import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { packagistKind } from './kind.js';

export default definePlugin({
  name: 'webhook-packagist',
  version: '1.0.0',
  description: 'Tells Packagist that a package has changed',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, packagistKind);
  },
});
