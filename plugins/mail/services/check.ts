import { isIP } from 'node:net';
import type { Finding } from '@mortise/plugin-sdk';
import { isIncomingOn, portOf, protocolOf, type IncomingMailSettings, type MailSettings } from '../settings.js';
import { Mailbox, portOf as imapPortOf } from './mailbox.js';
import type { Transport } from './transport.js';

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** `mortise doctor`: are the settings whole, and does the server let us in? */
export async function* checkMail(settings: MailSettings, transport: Transport): AsyncGenerator<Finding> {
  if (!settings.ENABLED) return;
  const protocol = protocolOf(settings);
  if (!settings.FROM)
    yield { level: 'warning', text: '[mailer] FROM is not set: mails come from noreply at the host of ROOT_URL' };
  if (protocol === 'dummy') {
    yield { level: 'warning', text: '[mailer] PROTOCOL is dummy: mails are only logged' };
    return;
  }
  if (protocol === 'sendmail') return;
  if (!settings.SMTP_ADDR) {
    yield { level: 'error', text: '[mailer] SMTP_ADDR is not set: no mail can leave' };
    return;
  }
  if (protocol === 'smtp' && settings.USER && !isLoopback(settings.SMTP_ADDR))
    yield { level: 'warning', text: '[mailer] PROTOCOL is smtp: the password travels unencrypted' };
  if (settings.FORCE_TRUST_SERVER_CERT)
    yield { level: 'warning', text: '[mailer] FORCE_TRUST_SERVER_CERT is on: anyone on the way can read mails' };
  const server = protocol === 'smtp+unix' ? settings.SMTP_ADDR : `${settings.SMTP_ADDR}:${portOf(settings)}`;
  try {
    await transport.verify();
    yield { level: 'ok', text: `the mail server ${server} lets us in` };
  } catch (error) {
    yield { level: 'error', text: `the mail server ${server} does not let us in: ${(error as Error).message}` };
  }
}

/** `mortise doctor`: can the mailbox be read? */
export async function* checkMailbox(settings: IncomingMailSettings, isMailOn: boolean): AsyncGenerator<Finding> {
  if (!settings.ENABLED) return;
  if (!isIncomingOn(settings)) {
    yield { level: 'error', text: '[email.incoming] HOST and REPLY_TO_ADDRESS are needed: no answers are taken' };
    return;
  }
  if (!isMailOn) yield { level: 'warning', text: '[mailer] is off: there are no mails that could be answered' };
  if (settings.SKIP_TLS_VERIFY)
    yield { level: 'warning', text: '[email.incoming] SKIP_TLS_VERIFY is on: anyone on the way can read mails' };
  const server = `${settings.HOST}:${imapPortOf(settings)}`;
  try {
    (await Mailbox.open(settings)).close();
    yield { level: 'ok', text: `the mailbox ${settings.MAILBOX} at ${server} can be read` };
  } catch (error) {
    yield {
      level: 'error',
      text: `the mailbox ${settings.MAILBOX} at ${server} cannot be read: ${(error as Error).message}`,
    };
  }
}
