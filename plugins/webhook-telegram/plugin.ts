import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { telegramKind } from './kind.js';

export default definePlugin({
  name: 'webhook-telegram',
  version: '1.0.0',
  description: 'Messages of a bot on Telegram',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, telegramKind);
  },
});
