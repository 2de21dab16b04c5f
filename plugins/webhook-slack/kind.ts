import { Joi } from '@mortise/plugin-sdk';
import {
  chatMessage,
  chatStyles,
  cutLines,
  cutText,
  fullLine,
  jsonRequest,
  writeCommits,
  writeLine,
  type ChatMessage,
  type WebhookKind,
} from '@mortise/webhooks/api';
import { t } from './texts/index.js';

const style = chatStyles.slack;
/** Text of several lines. */
const writeText = (text: string) => text.split('\n').map(style.text).join('\n');
const maxBytes = 8000;

/** A block with what was written or the commits; events without either have none. */
function attachmentsOf(message: ChatMessage, color: string): object[] {
  const { commits, repository, subject, url, body, colour } = message;
  if (commits.length)
    return [
      {
        color: color || hex(colour),
        title: repository.url,
        title_link: repository.url,
        text: cutLines(writeCommits(commits, style), maxBytes),
        mrkdwn_in: ['text'],
      },
    ];
  if (!body || message.topic === 'review') return [];
  return [
    { color: hex(colour), title: style.text(subject), title_link: url, text: writeText(cutText(body, maxBytes)) },
  ];
}

const hex = (colour: number) => colour.toString(16).padStart(6, '0');

/** Own settings: `channel` (any text, CHT-07), `username`, `icon_url`, `color` of pushes. */
export const slackKind: WebhookKind = {
  key: 'slack',
  label: 'Slack',
  icon: 'hash',
  order: 20,
  signed: true,
  jsonOnly: true,
  settings: [
    { name: 'channel', label: t.later('channel'), required: true, placeholder: '#general' },
    { name: 'username', label: t.later('username'), placeholder: 'Mortise' },
    { name: 'icon_url', label: t.later('icon') },
    { name: 'color', label: t.later('color'), placeholder: '#dd4b39', help: t.later('colorHelp') },
  ],
  schema: Joi.object({
    channel: Joi.string().required(),
    username: Joi.string().allow('').default(''),
    icon_url: Joi.string().allow('').default(''),
    color: Joi.string().allow('').default(''),
  }),
  // as clients know it: these settings are one record, which is replaced with its channel and stays without one
  merge: (before, given) => (given.channel ? { username: '', icon_url: '', color: '', ...given } : before),
  request(delivery) {
    const message = chatMessage(delivery);
    if (!message) return undefined;
    const { channel = '', username = '', icon_url = '', color = '' } = delivery.hook.settings;
    return jsonRequest(delivery, {
      channel,
      text: writeLine(fullLine(message), style),
      username,
      icon_url,
      unfurl_links: 0,
      link_names: 0,
      attachments: attachmentsOf(message, color),
    });
  },
};
