import { createHmac } from 'node:crypto';
import {
  chatMessage,
  chatStyles,
  cutText,
  fullLine,
  inertText,
  jsonRequest,
  writeAddress,
  writeLine,
  type ChatMessage,
  type WebhookKind,
} from '@mortise/webhooks/api';

const maxBytes = 16_000;

function textOf(message: ChatMessage): string {
  const { text: inert } = chatStyles.inert;
  const line = message.shortHeadline ? [...message.shortHeadline, ...message.by] : fullLine(message);
  const headline = writeLine(line, chatStyles.inert);
  const { commits, topic, detail, author, subjectUrl } = message;
  if (commits.length)
    return [
      headline,
      ...commits.map((one) => inert(`${one.shortId} ${one.summary} - ${one.author}`) + `\n${writeAddress(one.url)}`),
    ].join('\n');
  const isAbout = topic === 'issue' || topic === 'pull' || topic === 'comment' || topic === 'release';
  const page = isAbout || topic === 'other' ? [writeAddress(subjectUrl)] : [];
  const opened = isAbout && author ? [inert(`Opened by ${author}`)] : [];
  return [headline, ...page, ...opened, ...(detail && topic !== 'wiki' ? ['', inertText(detail)] : [])].join('\n');
}

/** CHT-01: nothing is signed, and the key says when. */
const sign = (secret: string, timestamp: number): string =>
  createHmac('sha256', `${timestamp}\n${secret}`).update('').digest('base64');

/** A plain text; with a secret it carries its time and signature (CHT-02). */
export const feishuKind: WebhookKind = {
  key: 'feishu',
  label: 'Feishu / Lark Suite',
  icon: 'north-star',
  order: 70,
  signed: true,
  jsonOnly: true,
  request(delivery) {
    const message = chatMessage(delivery);
    if (!message) return undefined;
    const timestamp = Math.floor(delivery.sentAt / 1000);
    return jsonRequest(delivery, {
      ...(delivery.secret ? { timestamp, sign: sign(delivery.secret, timestamp) } : {}),
      msg_type: 'text',
      content: { text: cutText(textOf(message), maxBytes) },
    });
  },
};
