import { createHmac, timingSafeEqual } from 'node:crypto';
import { defineGrant } from '@mortise/plugin-sdk';

/** What a token says: one repository, one operation, one holder, until then. */
export interface LfsGrant {
  readonly repositoryId: number;
  readonly operation: 'download' | 'upload';
  /** The account; 0 for a deploy key. */
  readonly userId: number;
  /** The deploy key that it was given to. */
  readonly deployKey?: { readonly id: number; readonly title: string; readonly readOnly: boolean };
  /** The credential behind it reaches public repositories only. */
  readonly publicOnly?: boolean;
  /** `SHA256:…` of the SSH key that it was given to: taken away, it takes the token with it. */
  readonly fingerprint: string;
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number;
}

/** What an actor has that came with a token of ours. */
export const lfsGrant = defineGrant<LfsGrant>('lfs.token');

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = encode({ alg: 'HS256', typ: 'JWT' });

/** Tokens that SSH hands out for HTTP (JWT, HS256). They are good for LFS addresses of one repository only. */
export class LfsTokens {
  constructor(private readonly secret: string | Buffer) {}

  #sign(text: string): Buffer {
    return createHmac('sha256', this.secret).update(text).digest();
  }

  issue(grant: LfsGrant): string {
    const body = `${header}.${encode({ aud: 'lfs', ...grant, exp: Math.floor(grant.expiresAt / 1000) })}`;
    return `${body}.${this.#sign(body).toString('base64url')}`;
  }

  /** Undefined: none of ours. `expired`: it was. */
  read(token: string, now = Date.now()): LfsGrant | 'expired' | undefined {
    const [head, body, signature, ...more] = token.split('.');
    if (head !== header || !body || !signature || more.length > 0) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const right = this.#sign(`${head}.${body}`);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    const grant = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as LfsGrant & { aud?: string };
    if (grant.aud !== 'lfs') return undefined;
    return grant.expiresAt > now ? grant : 'expired';
  }
}
