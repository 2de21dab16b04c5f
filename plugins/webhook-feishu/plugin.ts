import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { feishuKind } from './kind.js';

export default definePlugin({
  name: 'webhook-feishu',
  version: '1.0.0',
  description: 'Messages for bots of Feishu and Lark',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, feishuKind);
  },
});
