// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { describeHostileNames, sentFor, type issueDelivery } from '@mortise/webhooks/testing';
import { matrixKind } from '../kind.js';

export const lab = Lab.script();
const { describe, it } = lab;

describeWebhookKind(lab, {
  plugin: 'webhook-matrix',
  key: 'matrix',
  isChat: true,
  check(received) {
    expect(`${received.method} ${received.path}`).to.match(/^PUT \/hook\/[0-9a-f]{40}$/);
    expect((JSON.parse(received.body) as { msgtype: string }).msgtype).to.equal('m.notice');
  },
});

interface Message {
  msgtype: string;
  body: string;
  formatted_body: string;
}
const sent = (...given: Parameters<typeof issueDelivery>) => sentFor<Message>(matrixKind, ...given);

describe('notices for Matrix', () => {
  it('go to the room of the settings with its token, under one transaction', async () => {
    const settings = {
      home_server: 'https://m.example/',
      room_id: '!a b:example.com',
      access_token: 'syt',
      message_type: 'm.text',
    };
    const address = matrixKind.address!(settings);
    expect(address).to.equal('https://m.example/_matrix/client/v3/rooms/!a%20b%3Aexample.com/send/m.room.message');
    const { url, method, headers, message } = await sent(settings, {}, address);
    expect([method, headers.Authorization, message.msgtype]).to.equal(['PUT', 'Bearer syt', 'm.text']);
    expect(url!).to.startWith(`${address}/`);
    expect((await sent(settings, { sentAt: 5 }, address)).url).to.equal(url);
    expect(message.formatted_body).to.contain('&lt;Wet&gt; &amp; [paint]</a>');
    expect(() => matrixKind.address!({ room_id: '!a' })).to.throw(/home_server/);
  });
});

describeHostileNames(lab, matrixKind, (path) => (path === 'formatted_body' ? 'html' : 'markdown'));
