import { definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { wechatworkKind } from './kind.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    host.contribute(webhookKinds, wechatworkKind);
  },
});
