import { createHmac, timingSafeEqual } from 'node:crypto';

/** Minutes to choose a new password after signing in with one that must be changed. */
const span = 10 * 60_000;

/** Proof that somebody gave the right password a moment ago, for the step before the session begins. */
export class PendingSignIn {
  constructor(private readonly secret: Buffer) {}

  make(userId: number, remember: boolean): string {
    const text = `${userId}.${remember ? 1 : 0}.${Date.now() + span}`;
    return `${text}.${this.#sign(text)}`;
  }

  read(value: string | undefined): { userId: number; remember: boolean } | undefined {
    const [, text, userId, remember, end, signature] = /^((\d+)\.([01])\.(\d+))\.([\w-]+)$/.exec(value ?? '') ?? [];
    if (!text || !signature || Number(end) < Date.now()) return undefined;
    const right = Buffer.from(this.#sign(text));
    const given = Buffer.from(signature);
    if (right.length !== given.length || !timingSafeEqual(right, given)) return undefined;
    return { userId: Number(userId), remember: remember === '1' };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.secret).update(text).digest('base64url');
  }
}
