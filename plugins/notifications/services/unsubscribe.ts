import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Site } from '@mortise/plugin-sdk';

/** Links in mails that end the mails about one thing, for whoever has the mail. */
export class UnsubscribeLinks {
  readonly #secret: Buffer;

  constructor(private readonly site: Site) {
    this.#secret = site.secret('notifications.unsubscribe');
  }

  of(userId: number, issueId: number): string {
    return this.site.url(`/notifications/unsubscribe/${userId}.${issueId}.${this.#seal(userId, issueId)}`);
  }

  /** Undefined: nobody was sent this. */
  read(token: string): { readonly userId: number; readonly issueId: number } | undefined {
    const [, user, issue, seal] = /^(\d{1,9})\.(\d{1,9})\.([\w-]{22})$/.exec(token) ?? [];
    if (!user || !issue || !seal) return undefined;
    const [userId, issueId] = [Number(user), Number(issue)];
    const isOurs = timingSafeEqual(Buffer.from(seal), Buffer.from(this.#seal(userId, issueId)));
    return isOurs ? { userId, issueId } : undefined;
  }

  #seal(userId: number, issueId: number): string {
    return createHmac('sha256', this.#secret).update(`${userId}.${issueId}`).digest('base64url').slice(0, 22);
  }
}
