import { Invalid } from '@mortise/plugin-sdk';
import {
  chatMessage,
  chatStyles,
  cutText,
  fullLine,
  jsonRequest,
  withoutLinks,
  writeCommits,
  writeLine,
  type WebhookKind,
} from '@mortise/webhooks/api';
import { t } from './texts/index.js';

const service = 'https://api.telegram.org';
const maxBytes = 16_000;
const maxCommits = 50;

const query = ({ chat_id: chat = '', thread_id: thread = '' }: Readonly<Record<string, string>>) =>
  new URLSearchParams({ chat_id: chat, ...(thread ? { message_thread_id: thread } : {}) }).toString();

/** Where a hook sends: with the bot's token from its sealed setting, and by the method that takes rich messages. */
function target(url: string, settings: Readonly<Record<string, string>>): string | undefined {
  if (settings.bot_token && settings.chat_id)
    return `${service}/bot${settings.bot_token}/sendRichMessage?${query(settings)}`;
  const given = new URL(url);
  if (given.origin !== service || !given.pathname.endsWith('/sendMessage')) return undefined;
  given.pathname = given.pathname.replace(/sendMessage$/, 'sendRichMessage');
  return given.href;
}

/** Own settings: `bot_token`, `chat_id`, `thread_id`; by the API also an address with all of them. */
export const telegramKind: WebhookKind = {
  key: 'telegram',
  label: 'Telegram',
  icon: 'paper-airplane',
  order: 50,
  signed: true,
  jsonOnly: true,
  settings: [
    { name: 'bot_token', label: t.later('token'), type: 'password' },
    { name: 'chat_id', label: t.later('chat') },
    { name: 'thread_id', label: t.later('thread'), help: t.later('threadHelp') },
  ],
  address(settings, given) {
    if (settings.bot_token && settings.chat_id) return `${service}/sendRichMessage?${query(settings)}`;
    if (given) return given;
    throw Invalid('config.bot_token and config.chat_id are required, or config.url', {
      text: t.later('needed'),
      inputs: { setting_bot_token: t.later('needed') },
    });
  },
  request(delivery) {
    const message = chatMessage(delivery);
    if (!message) return undefined;
    const style = message.topic === 'review' ? withoutLinks(chatStyles.html) : chatStyles.html;
    const lines = [
      writeLine(fullLine(message), style),
      ...writeCommits(message.commits.slice(0, maxCommits), style),
      ...(message.body ? ['', ...cutText(message.body, maxBytes).split('\n').map(chatStyles.html.text)] : []),
    ];
    const url = target(delivery.hook.url, delivery.hook.settings);
    return jsonRequest(delivery, { rich_message: { html: lines.join('<br>\n') } }, url ? { url } : {});
  },
};
