import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { gogsKind } from './kind.js';

export default definePlugin({
  name: 'webhook-gogs',
  version: '1.0.0',
  description: 'The plain JSON of Gogs',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, gogsKind);
  },
});
