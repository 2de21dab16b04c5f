import { createHash } from 'node:crypto';
import { Invalid, Joi } from '@mortise/plugin-sdk';
import {
  chatMessage,
  chatStyles,
  fullLine,
  jsonRequest,
  writeCommits,
  writeLine,
  type ChatStyle,
  type ChatMessage,
  type WebhookKind,
} from '@mortise/webhooks/api';
import { t } from './texts/index.js';

const maxCommits = 50;

function linesOf(message: ChatMessage, style: ChatStyle): string[] {
  return [writeLine(fullLine(message), style), ...writeCommits(message.commits.slice(0, maxCommits), style)];
}

/** Own settings: `home_server`, `room_id`, `access_token`, `message_type`; by the API also the address of a room. */
export const matrixKind: WebhookKind = {
  key: 'matrix',
  label: 'Matrix',
  icon: 'apps',
  order: 80,
  signed: true,
  jsonOnly: true,
  settings: [
    { name: 'home_server', label: t.later('server'), placeholder: 'https://matrix.example.com' },
    { name: 'room_id', label: t.later('room'), placeholder: '!room:example.com' },
    { name: 'access_token', label: t.later('token'), type: 'password' },
    {
      name: 'message_type',
      label: t.later('type'),
      type: 'select',
      options: [
        { value: 'm.notice', label: 'm.notice' },
        { value: 'm.text', label: 'm.text' },
      ],
    },
  ],
  schema: Joi.object({
    home_server: Joi.string(),
    room_id: Joi.string(),
    access_token: Joi.string(),
    message_type: Joi.string().default('m.notice'),
  }),
  address({ home_server: server, room_id: room }, given) {
    if (server && room)
      return `${server.replace(/\/+$/, '')}/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message`;
    if (given) return given;
    throw Invalid('config.home_server and config.room_id are required, or config.url', {
      text: t.later('needed'),
      inputs: { [server ? 'setting_room_id' : 'setting_home_server']: t.later('needed') },
    });
  },
  request(delivery) {
    const message = chatMessage(delivery);
    if (!message) return undefined;
    const { access_token: token, message_type: type = 'm.notice' } = delivery.hook.settings;
    // the same for every attempt: the server tells a message once, however often it is sent
    const transaction = createHash('sha1').update(delivery.id).digest('hex');
    const url = new URL(delivery.hook.url);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${transaction}`;
    const { headers, body } = jsonRequest(delivery, {
      msgtype: type,
      body: linesOf(message, chatStyles.markdown).join('\n'),
      format: 'org.matrix.custom.html',
      formatted_body: linesOf(message, chatStyles.html).join('<br>'),
    });
    return {
      method: 'PUT',
      url: url.href,
      headers: token ? { ...headers, Authorization: `Bearer ${token}` } : headers,
      body,
    };
  },
};
