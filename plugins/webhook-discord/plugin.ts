import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { discordKind } from './kind.js';

export default definePlugin({
  name: 'webhook-discord',
  version: '1.0.0',
  description: 'Messages for channels of Discord',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, discordKind);
  },
});
