import { Joi } from '@mortise/plugin-sdk';
import { isMailAddress } from './contract/mail.js';

type Protocol = 'smtp' | 'smtps' | 'smtp+starttls' | 'smtp+unix' | 'sendmail' | 'dummy';

export interface MailSettings {
  ENABLED: boolean;
  PROTOCOL: Protocol | '';
  SMTP_ADDR: string;
  /** 0: the protocol's. */
  SMTP_PORT: number;
  ENABLE_HELO: boolean;
  HELO_HOSTNAME: string;
  FORCE_TRUST_SERVER_CERT: boolean;
  USE_CLIENT_CERT: boolean;
  CLIENT_CERT_FILE: string;
  CLIENT_KEY_FILE: string;
  FROM: string;
  ENVELOPE_FROM: string;
  FROM_DISPLAY_NAME_FORMAT: string;
  USER: string;
  PASSWD: string;
  SUBJECT_PREFIX: string;
  SEND_AS_PLAIN_TEXT: boolean;
  SENDMAIL_PATH: string;
  SENDMAIL_ARGS: string;
  SENDMAIL_TIMEOUT: string;
  SMTP_TIMEOUT: string;
  SENDMAIL_CONVERT_CRLF: boolean;
}

const text = (fallback: string) => Joi.string().allow('').default(fallback);
const flag = (fallback: boolean) => Joi.boolean().default(fallback);

/** `name@host`, or a name before it: `Mortise <name@host>`. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** Undefined: no address in there. */
export function senderOf(given: string): Sender | undefined {
  const [, name = '', inBrackets] = /^\s*(?:"?([^"<>]*?)"?\s*<([^<>]+)>)\s*$/.exec(given) ?? [];
  const address = (inBrackets ?? given).trim();
  return isMailAddress(address) ? { name: name.trim(), address } : undefined;
}

const sender = text('').custom((given: string) => {
  if (given && !senderOf(given)) throw new Error('is no address');
  return given;
});

/** `[mailer]`. */
export const mailSettings = Joi.object<MailSettings, true>({
  ENABLED: flag(false).description('Send mail. Without it nothing that needs mail is offered.'),
  PROTOCOL: Joi.string()
    .allow('')
    .valid('smtp', 'smtps', 'smtp+starttls', 'smtp+unix', 'sendmail', 'dummy')
    .default('')
    .description(
      'How mail leaves: smtp (not encrypted), smtps, smtp+starttls (refuses a server that has no STARTTLS), smtp+unix (a socket), sendmail (a program), dummy (only logged). Empty: by SMTP_ADDR and SMTP_PORT, else smtps.',
    ),
  SMTP_ADDR: text('').description('Host of the mail server; for smtp+unix the path of its socket.'),
  SMTP_PORT: Joi.number()
    .integer()
    .min(0)
    .max(65_535)
    .empty('')
    .default(0)
    .description('Port of the mail server; 0: 25 for smtp, 465 for smtps, 587 for smtp+starttls.'),
  SMTP_TIMEOUT: Joi.string()
    .pattern(/^(\d+(ms|s|m|h))+$/)
    .default('2m')
    .description('How long the mail server may be silent; to connect and to greet it has 30s at most.'),
  ENABLE_HELO: flag(true).description('Greet the mail server with the name of this computer; else with localhost.'),
  HELO_HOSTNAME: text('').description('Name to greet the mail server with; empty: that of this computer.'),
  FORCE_TRUST_SERVER_CERT: flag(false).description(
    'Accept any certificate of the mail server. Anyone on the way can then read mails and the password.',
  ),
  USE_CLIENT_CERT: flag(false).description('Show the mail server a certificate.'),
  CLIENT_CERT_FILE: text('custom/mailer/cert.pem').description('The certificate, below the work directory.'),
  CLIENT_KEY_FILE: text('custom/mailer/key.pem').description('Its private key, below the work directory.'),
  FROM: sender.description(
    'Sender of all mails: name@host, or Name <name@host>; empty: noreply at the host of ROOT_URL.',
  ),
  ENVELOPE_FROM: text('')
    .custom((given: string) => {
      if (given && given !== '<>' && !senderOf(given)) throw new Error('is no address');
      return given;
    })
    .description('Address that undeliverable mails come back to; empty: that of FROM; <>: they do not come back.'),
  FROM_DISPLAY_NAME_FORMAT: text('{{ .DisplayName }}').description(
    'Name of the sender of mails on behalf of somebody; may use {{ .DisplayName }}, {{ .AppName }} and {{ .Domain }}.',
  ),
  USER: text('').description('Name to sign in at the mail server with; empty: no sign-in.'),
  PASSWD: text('').description('Password at the mail server.').meta({ secret: true }),
  SUBJECT_PREFIX: text('').description('Put before every subject.'),
  SEND_AS_PLAIN_TEXT: flag(false).description('Send plain text only, without HTML.'),
  SENDMAIL_PATH: text('sendmail').description('The program of the protocol sendmail.'),
  SENDMAIL_ARGS: text('').description('Further arguments for it, separated by spaces; " keeps words together.'),
  SENDMAIL_TIMEOUT: Joi.string()
    .pattern(/^(\d+(ms|s|m|h))+$/)
    .default('5m')
    .description('How long it may take.'),
  SENDMAIL_CONVERT_CRLF: flag(true).description('Give it lines that end with LF, not CRLF.'),
});

export interface IncomingMailSettings {
  ENABLED: boolean;
  REPLY_TO_ADDRESS: string;
  HOST: string;
  /** 0: the protocol's. */
  PORT: number;
  USERNAME: string;
  PASSWORD: string;
  USE_TLS: boolean;
  SKIP_TLS_VERIFY: boolean;
  MAILBOX: string;
  DELETE_HANDLED_MESSAGE: boolean;
  MAXIMUM_MESSAGE_SIZE: number;
}

/** What stands for the token in `REPLY_TO_ADDRESS`. */
export const tokenPlaceholder = '%{token}';

const replyToAddress = text('').custom((given: string) => {
  if (!given) return given;
  const [before = '', after = '', ...more] = given.split(tokenPlaceholder);
  if (more.length > 0 || before.includes('@') || !isMailAddress(`${before}token${after}`))
    throw new Error(`must be an address with ${tokenPlaceholder} once before the @`);
  return given;
});

/** `[email.incoming]`. */
export const incomingMailSettings = Joi.object<IncomingMailSettings, true>({
  ENABLED: flag(false).description('Take answers to notifications by mail, from a mailbox that is read by IMAP.'),
  REPLY_TO_ADDRESS: replyToAddress.description(
    'Address of that mailbox with %{token} before the @, such as incoming+%{token}@example.com.',
  ),
  HOST: text('').description('Host of the IMAP server.'),
  PORT: Joi.number()
    .integer()
    .min(0)
    .max(65_535)
    .empty('')
    .default(0)
    .description('Port of the IMAP server; 0: 993 with USE_TLS, else 143.'),
  USERNAME: text('').description('Name to sign in at the IMAP server with.'),
  PASSWORD: text('').description('Password at the IMAP server.').meta({ secret: true }),
  USE_TLS: flag(false).description('Connect with TLS; without it STARTTLS is used where the server has it.'),
  SKIP_TLS_VERIFY: flag(false).description(
    'Accept any certificate of the IMAP server. Anyone on the way can then read mails and the password.',
  ),
  MAILBOX: text('INBOX').description('Folder that is read.'),
  DELETE_HANDLED_MESSAGE: flag(true).description(
    'Delete mails that were taken; without it, and what was not taken, is marked as read.',
  ),
  MAXIMUM_MESSAGE_SIZE: Joi.number()
    .integer()
    .min(1024)
    .max(104_857_600)
    .default(10_485_760)
    .description('Bytes; larger mails are not taken.'),
});

/** It is switched on, and says where the mailbox is. */
export const isIncomingOn = ({ ENABLED, HOST, REPLY_TO_ADDRESS }: IncomingMailSettings): boolean =>
  ENABLED && HOST !== '' && REPLY_TO_ADDRESS !== '';

/** What the settings mean for this site. */
export function protocolOf({ PROTOCOL, SMTP_ADDR, SMTP_PORT }: MailSettings): Protocol {
  if (PROTOCOL) return PROTOCOL;
  if (SMTP_ADDR.startsWith('/')) return 'smtp+unix';
  if (SMTP_PORT === 587) return 'smtp+starttls';
  return SMTP_PORT === 25 ? 'smtp' : 'smtps';
}

const usualPorts: Partial<Record<Protocol, number>> = { smtp: 25, smtps: 465, 'smtp+starttls': 587 };

export const portOf = (settings: MailSettings): number =>
  settings.SMTP_PORT || (usualPorts[protocolOf(settings)] ?? 25);

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `1m30s` in milliseconds. */
export const milliseconds = (span: string): number =>
  [...span.matchAll(/(\d+)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * units[unit as keyof typeof units],
    0,
  );

/** Words of a command line; quotes keep words together. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
