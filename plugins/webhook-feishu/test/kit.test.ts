// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import { createHmac } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { hostileNamesIn } from '@mortise/webhooks/testing';
import type { HookDelivery } from '@mortise/webhooks/api';
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

const delivery = (
  settings: Record<string, string>,
  more: Partial<HookDelivery> = {},
  url = 'https://chat.example/in',
) =>
  ({
    id: '8f0b7a52-3a0e-4d0c-9d55-6f7a1f2f9d0a',
    event: 'issues',
    eventType: 'issues',
    payload: {
      action: 'opened',
      repository: { full_name: 'ada/tool', html_url: 'http://here/ada/tool' },
      sender: { login: 'ada', html_url: 'http://here/ada', avatar_url: 'http://here/avatars/1' },
      issue: { number: 1, title: '<Wet> & [paint]', html_url: 'http://here/ada/tool/issues/1', body: 'Mind *it*' },
    },
    secret: '',
    sentAt: 1_767_323_045_678,
    hook: { url, ownerKind: 'user', contentType: 'json', method: 'POST', settings },
    ...more,
  }) as unknown as HookDelivery;
const sent = async (...given: Parameters<typeof delivery>) => {
  const request = (await feishuKind.request(delivery(...given)))!;
  return {
    ...request,
    message: JSON.parse(request.body) as {
      timestamp?: number;
      sign?: string;
      msg_type: string;
      content: { text: string };
    },
  };
};

describe('messages for Feishu', () => {
  it('CHT-01, CHT-02: carry their time and signature when there is a secret', async () => {
    const { message } = await sent({}, { secret: 'bell' });
    expect(message.timestamp).to.equal(1_767_323_045);
    expect(message.sign).to.equal(createHmac('sha256', '1767323045\nbell').update('').digest('base64'));
    expect((await sent({})).message).to.only.include(['msg_type', 'content']);
  });

  it('CHT-03: a review that asks for changes says so', async () => {
    const { repository, sender } = delivery({}).payload;
    const pull = { number: 2, title: 'Arch', html_url: 'http://here/ada/tool/pulls/2' };
    const payload = { action: 'reviewed', repository, sender, pull_request: pull, review: { content: 'wider' } };
    const { message } = await sent({}, { eventType: 'pull_request_review_rejected', payload });
    expect(message.content.text).to.contain('Pull request review changes requested: #2 Arch').and.contain('wider');
  });
});

describe('names that try to be markup', () => {
  it('U4: stay text in every field of every event, and no address is encoded twice', async () => {
    expect(await hostileNamesIn(feishuKind, () => 'inert')).to.equal([]);
  });
});
