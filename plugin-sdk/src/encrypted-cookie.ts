import type { Encryption } from './encryption.js';

interface CookieContent<T> {
  readonly what: T;
  /** Milliseconds since 1970 UTC. */
  readonly end: number;
}

/** Values that a browser keeps for us, and can neither read nor change. */
export class EncryptedCookie<T> {
  constructor(
    readonly name: string,
    private readonly encryption: Encryption,
    private readonly spanMs: number,
  ) {}

  /** For `Reply.cookie`. */
  get options() {
    return { httpOnly: true, sameSite: 'Lax', maxAge: this.spanMs / 1000 } as const;
  }

  /** The value of the cookie, good for the span. */
  write(what: T): string {
    const content: CookieContent<T> = { what, end: Date.now() + this.spanMs };
    return this.encryption
      .encrypt(JSON.stringify(content))
      .slice(2)
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  }

  /** Undefined: none, or it is too old, or not ours. */
  read(cookies: Readonly<Record<string, string | undefined>>): T | undefined {
    const value = cookies[this.name];
    if (!value || !/^[\w-]{1,4096}$/.test(value)) return undefined;
    const opened = this.encryption.decrypt(`1:${value.replaceAll('-', '+').replaceAll('_', '/')}`);
    if (opened === '') return undefined;
    const { what, end } = JSON.parse(opened) as CookieContent<T>;
    return end > Date.now() ? what : undefined;
  }
}
