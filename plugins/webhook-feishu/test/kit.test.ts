// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import { createHmac } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { describeHostileNames, issueDelivery, sentFor } from '@mortise/webhooks/testing';
import { feishuKind } from '../kind.js';
export const lab = Lab.script();
const { describe, it } = lab;

describeWebhookKind(lab, {
  plugin: 'webhook-feishu',
  key: 'feishu',
  isChat: true,
  check(received) {
    const { msg_type: type, content } = JSON.parse(received.body) as { msg_type: string; content: { text: string } };
    expect(type).to.equal('text');
    expect(content.text).to.startWith('[ada/engine:main] 1 new commit pushed by ada');
  },
});

interface Message {
  timestamp?: number;
  sign?: string;
  msg_type: string;
  content: { text: string };
}
const sent = (...given: Parameters<typeof issueDelivery>) => sentFor<Message>(feishuKind, ...given);

describe('messages for Feishu', () => {
  it('CHT-01, CHT-02: carry their time and signature when there is a secret', async () => {
    const { message } = await sent({}, { secret: 'bell' });
    expect(message.timestamp).to.equal(1_767_323_045);
    expect(message.sign).to.equal(createHmac('sha256', '1767323045\nbell').update('').digest('base64'));
    expect((await sent({})).message).to.only.include(['msg_type', 'content']);
  });

  it('CHT-03: a review that asks for changes says so', async () => {
    const { repository, sender } = issueDelivery().payload;
    const pull = { number: 2, title: 'Arch', html_url: 'http://here/ada/tool/pulls/2' };
    const payload = { action: 'reviewed', repository, sender, pull_request: pull, review: { content: 'wider' } };
    const { message } = await sent({}, { eventType: 'pull_request_review_rejected', payload });
    expect(message.content.text).to.contain('Pull request review changes requested: #2 Arch').and.contain('wider');
  });
});

describeHostileNames(lab, feishuKind, () => 'inert');
