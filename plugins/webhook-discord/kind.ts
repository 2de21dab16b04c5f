import {
  chatMessage,
  chatStyles,
  cutLines,
  cutText,
  withoutLinks,
  writeCommits,
  jsonRequest,
  writeLine,
  type WebhookKind,
} from '@mortise/webhooks/api';
import { t } from './texts/index.js';

const maxTitle = 256;
const maxDescription = 2048;

/** Own settings: `username` and `icon_url`, which stand for those of the channel's webhook. */
export const discordKind: WebhookKind = {
  key: 'discord',
  label: 'Discord',
  icon: 'comment-discussion',
  order: 30,
  signed: true,
  jsonOnly: true,
  settings: [
    { name: 'username', label: t.later('username'), placeholder: 'Mortise' },
    { name: 'icon_url', label: t.later('icon') },
  ],
  request(delivery) {
    const message = chatMessage(delivery);
    if (!message) return undefined;
    const { username, icon_url } = delivery.hook.settings;
    const { commits, sender } = message;
    const body = message.body || (message.topic === 'wiki' ? chatStyles.markdown.text(message.detail) : '');
    return jsonRequest(delivery, {
      wait: false,
      content: '',
      tts: false,
      // CHT-06: nothing rather than empty
      ...(username ? { username } : {}),
      ...(icon_url ? { avatar_url: icon_url } : {}),
      embeds: [
        {
          title: cutText(writeLine(message.headline, withoutLinks(chatStyles.markdown)), maxTitle),
          // CHT-04, CHT-05
          description: commits.length
            ? cutLines(writeCommits(commits, chatStyles.markdown), maxDescription)
            : cutText(body, maxDescription),
          url: message.url,
          color: message.colour,
          author: { name: chatStyles.plain.text(sender.name) || 'Mortise', url: sender.url, icon_url: sender.avatar },
        },
      ],
    });
  },
};
