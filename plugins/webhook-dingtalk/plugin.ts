import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { dingtalkKind } from './kind.js';

export default definePlugin({
  name: 'webhook-dingtalk',
  version: '1.0.0',
  description: 'Cards for robots of DingTalk',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, dingtalkKind);
  },
});
