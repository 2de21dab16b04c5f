import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { msteamsKind } from './kind.js';

export default definePlugin({
  name: 'webhook-msteams',
  version: '1.0.0',
  description: 'Cards for channels of Microsoft Teams',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, msteamsKind);
  },
});
