// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { describeHostileNames } from '@mortise/webhooks/testing';
import { dingtalkKind } from '../kind.js';

export const lab = Lab.script();

describeWebhookKind(lab, {
  plugin: 'webhook-dingtalk',
  key: 'dingtalk',
  isChat: true,

  check(received) {
    const { actionCard } = JSON.parse(received.body) as { actionCard: { text: string; singleURL: string } };
    expect(actionCard.text).to.startWith('[3f78685](http://localhost:3000/ada/engine/commit/');
    expect(decodeURIComponent(actionCard.singleURL)).to.contain('url=http://localhost:3000/ada/engine/commit/3f78');
  },
});

describeHostileNames(lab, dingtalkKind, (path) => (path === 'actionCard.text' ? 'markdown' : 'inert'));
