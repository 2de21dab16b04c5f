import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { wechatworkKind } from './kind.js';

export default definePlugin({
  name: 'webhook-wechatwork',
  version: '1.0.0',
  description: 'Messages for robots of WeCom (WeChat Work)',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, wechatworkKind);
  },
});
