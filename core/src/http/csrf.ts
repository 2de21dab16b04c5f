import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { Forbidden, type Actor, type Problem } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** Why a form without the right token is refused. */
const message = 'the form is too old or was not made by this site; load the page again';
export const staleForm = (): Problem => Forbidden(message, { text: t.later('error.staleForm') });
export const isStaleForm = (refusal: { readonly message: string }): boolean => refusal.message === message;

/** Name of the cookie that stands for a visitor without a session. */
export const visitorCookie = 'mortise_visitor';

/** A fresh value of that cookie: 122 random bits, which node draws from a pool. */
export const newVisitor = (): string => randomUUID();

/**
 * Tokens against forged requests: an HMAC over what stands for the browser, that is the session of a signed-in person,
 * otherwise a random cookie (signed double submit, OWASP).
 */
export class CsrfGuard {
  constructor(
    private readonly secret: Buffer,
    private readonly ownOrigin: string,
  ) {}

  token(actor: Actor, visitor: string | undefined): string {
    const bearer =
      actor.kind === 'anonymous'
        ? `visitor:${visitor ?? ''}`
        : `actor:${actor.method}:${actor.id}:${actor.credentialId ?? 0}`;
    return createHmac('sha256', this.secret).update(bearer).digest('base64url');
  }

  matches(given: unknown, actor: Actor, visitor: string | undefined): boolean {
    if (typeof given !== 'string' || (actor.kind === 'anonymous' && !visitor)) return false;
    const expected = Buffer.from(this.token(actor, visitor));
    const actual = Buffer.from(given);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  /**
   * Is a page of this site named as the origin, which no page elsewhere can do? Whoever tells more than that (fetch
   * metadata) is a browser that was given a page with the token.
   */
  isOwn(headers: Readonly<Record<string, string | undefined>>): boolean {
    return !headers['sec-fetch-site'] && headers.origin === this.ownOrigin;
  }

  /** Did a page of another site send this? Old browsers that say nothing are left to the token. */
  isForeign(headers: Readonly<Record<string, string | undefined>>): boolean {
    const site = headers['sec-fetch-site'];
    if (site) return site !== 'same-origin' && site !== 'none';
    const origin = headers.origin;
    if (!origin) return false;
    if (origin === this.ownOrigin) return false;
    const host = headers.host;
    return !host || !(origin === `http://${host}` || origin === `https://${host}`);
  }
}
