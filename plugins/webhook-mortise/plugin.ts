import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { mortiseKind } from './kind.js';

export default definePlugin({
  name: 'webhook-mortise',
  version: '1.0.0',
  description: 'The plain JSON webhook kind',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, mortiseKind);
  },
});
