// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { describeHostileNames, issueDelivery, sentFor } from '@mortise/webhooks/testing';
import { discordKind } from '../kind.js';

export const lab = Lab.script();
const { describe, it } = lab;

describeWebhookKind(lab, {
  plugin: 'webhook-discord',
  key: 'discord',
  isChat: true,
  check(received) {
    const { embeds } = JSON.parse(received.body) as { embeds: { description: string; color: number }[] };
    expect(embeds[0]!.color).to.equal(0x1ac600);
    expect(embeds[0]!.description).to.endWith(') Add the first note - Ada');
  },
});

interface Message {
  username?: string;
  avatar_url?: string;
  embeds: { title: string; description: string }[];
}
const sent = (...given: Parameters<typeof issueDelivery>) => sentFor<Message>(discordKind, ...given);

describe('messages for Discord', () => {
  it('CHT-04, LIM-02: cuts the description to 2048 bytes, never inside a character', async () => {
    const base = issueDelivery().payload;
    const payload = { ...base, issue: { ...(base.issue as object), body: '👩‍🚀ä'.repeat(400) } };
    const { description } = (await sent({}, { payload })).message.embeds[0]!;
    expect(Buffer.byteLength(description)).to.be.between(2000, 2049);
    expect(description.replace(/…$/, '')).to.match(/^(?:👩‍🚀ä)*(?:👩‍🚀)?$/);
  });

  it('CHT-05: shows only the first line of a commit message', async () => {
    const commit = {
      id: '3f786850e387550f',
      url: 'http://here/c',
      message: 'First\r\n\nsecond',
      author: { name: 'Ada' },
    };
    const payload = { ...issueDelivery().payload, ref: 'refs/heads/main', commits: [commit], total_commits: 1 };
    const { embeds } = (await sent({}, { eventType: 'push', payload })).message;
    expect(embeds[0]!.description).to.equal('[3f78685](http://here/c) First - Ada');
  });

  it('CHT-06: leaves an empty name and picture out', async () => {
    expect((await sent({ username: '', icon_url: '' })).message).to.not.include(['username', 'avatar_url']);
    const { username, avatar_url: picture } = (await sent({ username: 'crier', icon_url: 'http://x/y' })).message;
    expect([username, picture]).to.equal(['crier', 'http://x/y']);
  });
});

describeHostileNames(lab, discordKind, (path) => (/title|description/.test(path) ? 'markdown' : undefined));
