// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { describeHostileNames, sentFor, type issueDelivery } from '@mortise/webhooks/testing';
import { msteamsKind } from '../kind.js';

export const lab = Lab.script();
const { describe, it } = lab;

describeWebhookKind(lab, {
  plugin: 'webhook-msteams',
  key: 'msteams',
  isChat: true,
  check(received) {
    const card = JSON.parse(received.body) as { themeColor: string; sections: { text: string }[] };
    expect(card.themeColor).to.equal('1ac600');
    expect(card.sections[0]!.text).to.contain('Add the first note - Ada');
  },
});

interface Message {
  '@type'?: string;
  themeColor?: string;
  type?: string;
  attachments?: { content: { type: string; actions: { url: string }[] } }[];
}
const sent = (...given: Parameters<typeof issueDelivery>) => sentFor<Message>(msteamsKind, ...given);

describe('cards for Teams', () => {
  const workflow = 'https://prod-1.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke';

  it('takes the cards that the address takes, or the chosen ones', async () => {
    const is = async (card: string, url?: string) => {
      const { message } = await sent({ card }, {}, url);
      return message['@type'] ?? message.attachments![0]!.content.type;
    };
    expect(await is('auto', workflow)).to.equal('AdaptiveCard');
    expect(await is('auto', 'https://x.webhook.office.com/webhookb2/1')).to.equal('MessageCard');
    expect(await is('adaptive')).to.equal('AdaptiveCard');
    expect(await is('message', workflow)).to.equal('MessageCard');
  });

  it('leads from an adaptive card to the page', async () => {
    const { message } = await sent({ card: 'adaptive' });
    expect(message.type).to.equal('message');
    expect(message.attachments![0]!.content.actions[0]!.url).to.equal('http://here/ada/tool/issues/1');
  });
});

describeHostileNames(lab, msteamsKind, (path) => (/text|activitySubtitle|value/.test(path) ? 'markdown' : 'inert'), [
  {},
  { card: 'adaptive' },
]);
