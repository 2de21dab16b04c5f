import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MailSubject } from '../contract/incoming.js';
import { isIncomingOn, tokenPlaceholder, type IncomingMailSettings } from '../settings.js';

/** What an address says: whose answers come to it, and what they are about. */
interface ReplyToken {
  readonly subject: MailSubject;
  readonly userId: number;
}

/** Left side of the Message-ID that names the token too, for mail programs that cut addresses at the `+`. */
const referencePrefix = 'reply-';
/** Characters of the seal: 96 bits. A name before the @ has at most 64 characters. */
const sealLength = 24;
/** Longer headers are no list of addresses of people. */
const maxHeader = 50_000;

/**
 * Addresses that answers come to, each for one account and one subject. Lower-case letters, digits and `-` only: mail
 * servers on the way may change the case.
 */
export class ReplyAddresses {
  readonly #patterns: readonly RegExp[];

  constructor(
    private readonly settings: IncomingMailSettings,
    private readonly secret: Buffer,
  ) {
    const [before = '', after = ''] = settings.REPLY_TO_ADDRESS.split(tokenPlaceholder);
    const token = '([a-z0-9-]{1,80})';
    this.#patterns = [
      new RegExp(`${escapeRegExp(before)}${token}${escapeRegExp(after)}(?![\\w.-])`, 'gi'),
      new RegExp(`<${referencePrefix}${token}@`, 'gi'),
    ];
  }

  get isOn(): boolean {
    return isIncomingOn(this.settings);
  }

  tokenOf({ kind, id }: MailSubject, userId: number): string {
    const about = `${kind}-${id.toString(36)}-${userId.toString(36)}`;
    return `${about}-${this.#seal(about)}`;
  }

  addressOf(token: string): string {
    return this.settings.REPLY_TO_ADDRESS.replace(tokenPlaceholder, () => token);
  }

  /** Left side of a Message-ID for `References`. */
  referenceOf = (token: string): string => `${referencePrefix}${token}`;

  /** Tokens that headers name, in their order. */
  tokensIn(headers: string): string[] {
    if (!this.isOn) return [];
    const text = headers.slice(0, maxHeader);
    const found = this.#patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, token]) => token!));
    return [...new Set(found.map((token) => token.toLowerCase()))];
  }

  /** Undefined: it was not made here. */
  read(token: string): ReplyToken | undefined {
    const [, about, kind, id, user, seal] =
      /^(([a-z]{1,12})-([a-z0-9]{1,11})-([a-z0-9]{1,11}))-([a-f0-9]+)$/.exec(token) ?? [];
    if (!about || seal?.length !== sealLength) return undefined;
    if (!timingSafeEqual(Buffer.from(seal), Buffer.from(this.#seal(about)))) return undefined;
    return { subject: { kind: kind!, id: parseInt(id!, 36) }, userId: parseInt(user!, 36) };
  }

  #seal(about: string): string {
    return createHmac('sha256', this.secret).update(about).digest('hex').slice(0, sealLength);
  }
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');
