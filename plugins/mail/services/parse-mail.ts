import PostalMime, { type Attachment } from 'postal-mime';
import type { MailAttachment } from '../contract/incoming.js';
import type { MailHeaders } from './automatic-mail.js';
import { htmlText } from './html-text.js';
import { replyText } from './reply-text.js';

export interface ParsedMail {
  readonly headers: MailHeaders;
  /** Every address that it was sent to, and the Message-IDs that it answers: where its token stands. */
  readonly addressed: string;
  readonly messageId: string;
  readonly subject: string;
  readonly from: string;
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
}

/** What a thread is given. */
export interface ParseTask {
  readonly source: Uint8Array;
}

/** More than people send; the rest is passed over. */
const maxAttachments = 50;
const limits = { maxNestingDepth: 30, maxRfc822NestingDepth: 1, maxHeadersSize: 256 * 1024 };
/** Where servers say whom a mail came to. The first that holds a token counts. */
const addressHeaders = [
  'to',
  'cc',
  'delivered-to',
  'x-original-to',
  'x-envelope-to',
  'envelope-to',
  'references',
  'in-reply-to',
];
/** Parts that mail programs add. */
const passedOver = new Set([
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
  'application/ms-tnef',
  'text/calendar',
  'message/delivery-status',
]);

const isFile = ({ mimeType, filename, related }: Attachment): boolean =>
  !passedOver.has(mimeType) && (related !== true || Boolean(filename));

/** Reads a mail as it came. */
export async function parseMail({ source }: ParseTask): Promise<ParsedMail> {
  const mail = await PostalMime.parse(source, { ...limits, attachmentEncoding: 'arraybuffer' });
  const headers: Record<string, string> = {};
  const addressed: string[] = [];
  for (const { key, value } of mail.headers) headers[key] ??= value.slice(0, 10_000);
  for (const name of addressHeaders)
    for (const { key, value } of mail.headers) if (key === name) addressed.push(value.slice(0, 20_000));
  const written = mail.text?.trim() ? mail.text : htmlText(mail.html ?? '');
  return {
    headers,
    addressed: addressed.join('\n'),
    messageId: (mail.messageId ?? '').trim(),
    subject: (mail.subject ?? '').slice(0, 200),
    from: mail.from?.address ?? '',
    text: replyText(written),
    attachments: mail.attachments
      .filter(isFile)
      .slice(0, maxAttachments)
      .map(({ filename, mimeType, content }) => ({
        name: filename ?? '',
        contentType: mimeType,
        content: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
      })),
  };
}
