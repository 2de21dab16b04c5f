import { randomUUID } from 'node:crypto';
import { Invalid, textOf, type Languages, type Site } from '@mortise/plugin-sdk';
import { isMailAddress, type Mail } from '../contract/mail.js';
import { senderOf, type MailSettings, type Sender } from '../settings.js';
import { t } from '../texts/index.js';
import { compose } from './compose.js';
import type { ReplyAddresses } from './reply-addresses.js';

/** A mail as it is kept until it is sent: JSON. */
export interface Message {
  readonly from: Sender;
  readonly envelopeFrom: string;
  readonly to: Sender;
  readonly replyTo?: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** With its angle brackets. A second attempt after a lost answer has the same, so that servers can tell. */
  readonly messageId: string;
  readonly references: readonly string[];
  /** A further one, of no mail: it names the address for answers, for programs that change that. */
  readonly answerReference?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What stands in a header is one line without control characters, and not endless. */
const oneLine = (text: string, max = 250): string =>
  [...text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()].slice(0, max).join('');

const hostOf = (site: Site): string => new URL(site.rootUrl).hostname;

/** Who sends, when the settings do not say. */
function siteSender(settings: MailSettings, site: Site): Sender {
  const host = hostOf(site);
  const given = senderOf(settings.FROM) ?? { name: '', address: `noreply@${host}` };
  return { ...given, name: given.name || site.name };
}

function displayName(format: string, name: string, site: Site): string {
  const values: Readonly<Record<string, string>> = {
    DisplayName: name,
    AppName: site.name,
    Domain: hostOf(site),
  };
  return oneLine(
    format.replace(/\{\{\s*\.(\w+)\s*\}\}/g, (all, key: string) => values[key] ?? all),
    120,
  );
}

const idPart = (text: string): string => text.replace(/[^\w./-]+/g, '_').slice(0, 150);

/** What mail programs sort by, and nothing that mail servers act on. */
function filterHeaders(headers: Mail['headers'] = {}): Record<string, string> {
  const named = Object.entries(headers).filter(([name, value]) => /^X-[A-Za-z-]+$/.test(name) && value !== '');
  return Object.fromEntries(named.map(([name, value]) => [name, oneLine(value)]));
}

/** Where answers to it go, and the mail that ends such mails. */
interface AnswerAddresses {
  readonly replyTo: string;
  readonly reference: string;
  readonly unsubscribe?: string;
}

/** Undefined: nobody reads answers. */
function answerAddresses({ answers }: Mail, addresses: ReplyAddresses): AnswerAddresses | undefined {
  if (!answers || !addresses.isOn) return undefined;
  const { userId, subject, unsubscribe } = answers;
  const token = addresses.tokenOf(subject, userId);
  return {
    replyTo: addresses.addressOf(token),
    reference: addresses.referenceOf(token),
    ...(unsubscribe && { unsubscribe: addresses.addressOf(addresses.tokenOf(unsubscribe, userId)) }),
  };
}

/** RFC 2369: by the web, which needs no program for mail, and by mail where mails are read. */
function unsubscribeHeaders(list: NonNullable<Mail['list']>, byMail: string | undefined): Record<string, string> {
  const ways = [encodeURI(decodeURI(list.unsubscribe)), ...(byMail ? [`mailto:${byMail}?subject=unsubscribe`] : [])];
  return {
    'List-Unsubscribe': ways.map((way) => `<${way}>`).join(', '),
    ...(list.oneClick ? { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}),
  };
}

interface MessageDeps {
  readonly settings: MailSettings;
  readonly site: Site;
  readonly languages: Languages;
  readonly addresses: ReplyAddresses;
}

/** Everything of a mail, made in the receiver's language. Throws Invalid for an address that cannot have mail. */
export function makeMessage(mail: Mail, { settings, site, languages, addresses }: MessageDeps): Message {
  const { to, list } = mail;
  const answers = answerAddresses(mail, addresses);
  const replyTo = answers?.replyTo ?? mail.replyTo;
  for (const address of replyTo === undefined ? [to.address] : [to.address, replyTo])
    if (!isMailAddress(address)) throw Invalid(t.later('error.address'));
  const host = hostOf(site);
  const idOf = (left: string) => `<${idPart(left)}@${host}>`;
  const sender = siteSender(settings, site);
  const envelope = settings.ENVELOPE_FROM;
  const tag = languages.get(to.language ?? '').tag;
  const made = languages.in(tag, () => {
    const subject = oneLine(`${settings.SUBJECT_PREFIX} ${textOf(mail.subject)}`);
    return {
      subject,
      ...compose(mail, {
        subject,
        siteName: site.name,
        siteUrl: site.rootUrl,
        language: tag,
        unsubscribe: list?.unsubscribe,
        isAnswerable: answers !== undefined,
      }),
    };
  });
  return {
    from: mail.onBehalfOf
      ? { ...sender, name: displayName(settings.FROM_DISPLAY_NAME_FORMAT, mail.onBehalfOf, site) }
      : { ...sender, name: oneLine(sender.name, 120) },
    envelopeFrom: envelope === '<>' ? '' : (senderOf(envelope)?.address ?? sender.address),
    to: { address: to.address, name: oneLine(to.name ?? '', 120) },
    ...(replyTo ? { replyTo } : {}),
    subject: made.subject,
    text: made.text,
    ...(settings.SEND_AS_PLAIN_TEXT ? {} : { html: made.html }),
    messageId: idOf(mail.messageId ?? randomUUID()),
    references: (mail.thread ?? []).map(idOf),
    ...(answers && { answerReference: idOf(answers.reference) }),
    headers: {
      ...filterHeaders(mail.headers),
      // nobody wants the holiday notice of a receiver (RFC 3834), and Exchange asks for its own header
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Content-Language': tag,
      ...(list
        ? {
            'List-ID': `<${idPart(list.id).replace(/[/_]+/g, '.')}.${host}>`,
            ...unsubscribeHeaders(list, answers?.unsubscribe),
            ...(answers ? { 'List-Post': `<mailto:${answers.replyTo}>` } : {}),
            Precedence: 'list',
          }
        : {}),
    },
  };
}
