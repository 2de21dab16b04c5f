import { createHmac, timingSafeEqual } from 'node:crypto';
import { Unauthorized } from '@mortise/plugin-sdk';

/** Milliseconds that a signed address is good. */
const validityMs = 3_600_000;

/** Signs addresses that clients follow without credentials. */
export class AddressSigner {
  constructor(private readonly secret: Buffer) {}

  /** `expires` is in seconds since 1970 UTC. Each value is preceded by its length, so that none runs into the next. */
  sign(endpoint: string, expires: number, values: readonly (string | number)[]): string {
    const hmac = createHmac('sha256', this.secret);
    for (const value of [endpoint, expires, ...values]) {
      const bytes = Buffer.from(String(value));
      hmac.update(`${bytes.length}:`).update(bytes);
    }
    return hmac.digest('base64url');
  }

  /** Parameters to put into an address. */
  parameters(endpoint: string, values: readonly (string | number)[]): { sig: string; expires: string } {
    const expires = Math.floor((Date.now() + validityMs) / 1000);
    return { sig: this.sign(endpoint, expires, values), expires: String(expires) };
  }

  /** Throws `unauthorized` for an address that was changed or is over. */
  check(
    endpoint: string,
    { sig = '', expires = '' }: { readonly sig?: string; readonly expires?: string },
    values: readonly (string | number)[],
  ): void {
    const until = /^\d{1,12}$/.test(expires) ? Number(expires) : 0;
    const wanted = Buffer.from(this.sign(endpoint, until, values));
    const given = Buffer.from(sig);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw Unauthorized('Error unauthorized');
    if (until * 1000 < Date.now()) throw Unauthorized('Error link expired');
  }
}
