import { createHmac, timingSafeEqual } from 'node:crypto';

/** Minutes to choose a new password after signing in with one that must be changed. */
const span = 10 * 60_000;

export interface PendingParts {
  readonly secret: Buffer;
  /** See `Accounts.passwordStamp`. */
  stampOf(userId: number): Promise<string>;
}

/**
 * Proof that somebody gave the right password a moment ago, for the step before the session begins. It ends with the
 * password, whoever changes it.
 */
export class PendingSignIn {
  constructor(private readonly parts: PendingParts) {}

  async make(userId: number, remember: boolean): Promise<string> {
    const text = `${userId}.${remember ? 1 : 0}.${Date.now() + span}`;
    return `${text}.${await this.#sign(userId, text)}`;
  }

  async read(value: string | undefined): Promise<{ userId: number; remember: boolean } | undefined> {
    const [, text, userId, remember, end, signature] = /^((\d+)\.([01])\.(\d+))\.([\w-]+)$/.exec(value ?? '') ?? [];
    if (!text || !signature || Number(end) < Date.now()) return undefined;
    const right = Buffer.from(await this.#sign(Number(userId), text));
    const given = Buffer.from(signature);
    if (right.length !== given.length || !timingSafeEqual(right, given)) return undefined;
    return { userId: Number(userId), remember: remember === '1' };
  }

  async #sign(userId: number, text: string): Promise<string> {
    const { secret, stampOf } = this.parts;
    return createHmac('sha256', secret)
      .update(`${text}.${await stampOf(userId)}`)
      .digest('base64url');
  }
}
