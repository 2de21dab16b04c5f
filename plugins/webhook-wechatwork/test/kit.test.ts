// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { describeHostileNames } from '@mortise/webhooks/testing';
import { wechatworkKind } from '../kind.js';

export const lab = Lab.script();

describeWebhookKind(lab, {
  plugin: 'webhook-wechatwork',
  key: 'wechatwork',
  isChat: true,

  check(received) {
    const { markdown } = JSON.parse(received.body) as { markdown: { content: string } };
    expect(markdown.content).to.startWith('[ada/engine:main] 1 new commit pushed by ada\n[3f78685](http');
  },
});

describeHostileNames(lab, wechatworkKind, () => 'markdown');
