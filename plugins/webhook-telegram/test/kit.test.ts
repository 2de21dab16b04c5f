// Database: SQLite alone. A kind words what is sent; webhooks and webhook-mortise show on each that hooks are kept.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import { describeHostileNames, sentFor, type issueDelivery } from '@mortise/webhooks/testing';
import { telegramKind } from '../kind.js';

export const lab = Lab.script();
const { describe, it } = lab;

describeWebhookKind(lab, {
  plugin: 'webhook-telegram',
  key: 'telegram',
  isChat: true,
  check(received) {
    const { rich_message: message } = JSON.parse(received.body) as { rich_message: { html: string } };
    expect(message.html).to.contain('<a href="http://localhost:3000/ada/engine">ada/engine</a>');
  },
});

interface Message {
  rich_message: { html: string };
}
const sent = (...given: Parameters<typeof issueDelivery>) => sentFor<Message>(telegramKind, ...given);

describe('messages for Telegram', () => {
  it('keeps the token out of the address of the hook and escapes what people wrote', async () => {
    const settings = { bot_token: '1:aa', chat_id: '-7', thread_id: '3' };
    const address = telegramKind.address!(settings);
    expect(address).to.equal('https://api.telegram.org/sendRichMessage?chat_id=-7&message_thread_id=3');
    const { url, message } = await sent(settings, {}, address);
    expect(url).to.equal('https://api.telegram.org/bot1:aa/sendRichMessage?chat_id=-7&message_thread_id=3');
    expect(message.rich_message.html).to.contain('#1 &lt;Wet&gt; &amp; [paint]</a>').and.endWith('Mind *it*');
  });

  it('sends addresses of the older method to the one that takes rich messages', async () => {
    const at = async (url: string) => (await sent({}, {}, url)).url;
    expect(await at('https://api.telegram.org/bot1:aa/sendMessage?chat_id=7')).to.equal(
      'https://api.telegram.org/bot1:aa/sendRichMessage?chat_id=7',
    );
    expect(await at('https://proxy.example/bot1:aa/sendMessage?chat_id=7')).to.be.undefined();
    expect(() => telegramKind.address!({ chat_id: '7' })).to.throw(/bot_token/);
  });
});

describeHostileNames(lab, telegramKind, () => 'html');
