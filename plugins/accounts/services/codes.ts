import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccountCodes } from '../api.js';
import type { CodeOf } from '../contract/mail.js';

interface CodeInput {
  readonly secret: Buffer;
  readonly activeMinutes: number;
  /** See `Accounts.passwordStamp`. */
  stampOf(userId: number): Promise<string>;
}

/** `user.subject.end.signature`; the signature covers what the code is bound to. */
export class Codes implements AccountCodes {
  constructor(private readonly deps: CodeInput) {}

  get activeMinutes(): number {
    return this.deps.activeMinutes;
  }

  async make({ purpose, userId, subjectId = 0, bound }: CodeOf, minutes: number): Promise<string> {
    const text = `${userId}.${subjectId}.${Date.now() + minutes * 60_000}`;
    return `${text}.${await this.#sign(purpose, userId, text, bound)}`;
  }

  async read(
    purpose: string,
    code: string,
    boundOf: (of: { userId: number; subjectId: number }) => Promise<string | undefined>,
  ): Promise<{ userId: number; subjectId: number } | undefined> {
    const [, text, user, subject, end, signature] =
      /^((\d{1,10})\.(\d{1,10})\.(\d{1,15}))\.([\w-]{43})$/.exec(code) ?? [];
    if (!text || !signature || Number(end) < Date.now()) return undefined;
    const of = { userId: Number(user), subjectId: Number(subject) };
    const bound = await boundOf(of);
    if (bound === undefined) return undefined;
    const right = await this.#sign(purpose, of.userId, text, bound);
    return timingSafeEqual(Buffer.from(right), Buffer.from(signature)) ? of : undefined;
  }

  async #sign(purpose: string, userId: number, text: string, bound: string): Promise<string> {
    const { secret, stampOf } = this.deps;
    return createHmac('sha256', secret)
      .update(JSON.stringify([purpose, text, bound, await stampOf(userId)]))
      .digest('base64url');
  }
}
