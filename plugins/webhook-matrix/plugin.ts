import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { matrixKind } from './kind.js';

export default definePlugin({
  name: 'webhook-matrix',
  version: '1.0.0',
  description: 'Notices in rooms of Matrix',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, matrixKind);
  },
});
