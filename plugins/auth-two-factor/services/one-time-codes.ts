import { otpauth } from './libraries.js';

/** Seconds for which a code holds (RFC 6238). */
const period = 30;
/** Codes of the neighbouring time steps are good too: clocks of phones go wrong, and people take a while. */
const window = 1;

function totp(secret: string, issuer = '', label = '') {
  const { Secret, TOTP } = otpauth();
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period });
}

/** A new secret in base32: 160 bits, as RFC 4226 advises. */
export const makeSecret = (): string => new (otpauth().Secret)({ size: 20 }).base32;

/** The address that apps read from the QR code. */
export const secretUri = (secret: string, issuer: string, label: string): string =>
  totp(secret, issuer.replaceAll(':', ' '), label).toString();

/** The time step that a code belongs to; undefined when it is wrong. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const token = code.replace(/\s/g, '');
  if (!secret || !/^\d{6}$/.test(token)) return undefined;
  const delta = totp(secret).validate({ token, timestamp: now, window });
  return delta === null ? undefined : Math.floor(now / 1000 / period) + delta;
}

/** Now, or so many steps away: what an app would show. */
export const codeAt = (secret: string, now: number, steps = 0): string =>
  totp(secret).generate({ timestamp: now + steps * period * 1000 });
