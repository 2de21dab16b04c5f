import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { slackKind } from './kind.js';

export default definePlugin({
  name: 'webhook-slack',
  version: '1.0.0',
  description: 'Messages for channels of Slack and compatible chats',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, slackKind);
  },
});
