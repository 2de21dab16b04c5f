/**
 * Hashes of passwords that another server made, in the PHC string format
 * (https://github.com/P-H-C/phc-string-format) or that of bcrypt. The next right sign-in replaces them by one of our own.
 */
import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { isBcrypt, matchesBcrypt } from './bcrypt.js';

const derivePbkdf2 = promisify(pbkdf2);
const deriveScrypt = promisify<
  Buffer | string,
  Buffer,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt);

/** What one check may cost: rows may come from anywhere. */
const maxIterations = 10_000_000;
const maxMemory = 512 * 1024 * 1024;
const maxBytes = 128;

const phc = /^\$(pbkdf2-sha256|scrypt)\$([a-z]+=\d+(?:,[a-z]+=\d+)*)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Not made by us, and checked here. */
export const isImportedHash = (stored: string): boolean => phc.test(stored) || isBcrypt(stored);

/** Can it be checked here? Hashes of other kinds, or of costs beyond measure, come but fit no password. */
export const isKnownHash = (stored: string): boolean => stored.startsWith('$argon2') || isImportedHash(stored);

/** Another server made it: its costs, or the length of its digest, are not ours. */
export const isOutdatedHash = (stored: string): boolean =>
  !/^\$argon2id\$v=19\$[^$]+\$[^$]+\$[A-Za-z0-9+/]{43}$/.test(stored);

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** A hash by PBKDF2 with SHA-256 in the PHC string format; it is given in hex, and `salt` as the text that was its salt. */
export const pbkdf2Hash = (iterations: number, salt: string, hash: string): string =>
  `$pbkdf2-sha256$i=${iterations}$${base64(Buffer.from(salt))}$${base64(Buffer.from(hash, 'hex'))}`;

export async function matchesImported(stored: string, password: string): Promise<boolean> {
  if (isBcrypt(stored)) return matchesBcrypt(stored, password);
  const [, algorithm, costs = '', salt = '', digest = ''] = phc.exec(stored) ?? [];
  const expected = Buffer.from(digest, 'base64');
  if (expected.length === 0 || expected.length > maxBytes) return false;
  const cost = Object.fromEntries(costs.split(',').map((one) => one.split('='))) as Partial<Record<string, string>>;
  const of = (name: string) => Number(cost[name] ?? 0);
  const from = Buffer.from(salt, 'base64');
  if (algorithm === 'pbkdf2-sha256') {
    if (of('i') < 1 || of('i') > maxIterations) return false;
    return timingSafeEqual(await derivePbkdf2(password, from, of('i'), expected.length, 'sha256'), expected);
  }
  const [ln, r, p] = [of('ln'), of('r'), of('p')];
  const memory = 128 * 2 ** ln * r;
  if (ln < 1 || r < 1 || p < 1 || memory * p > maxMemory) return false;
  const made = await deriveScrypt(password, from, expected.length, { N: 2 ** ln, r, p, maxmem: 2 * memory + 2 ** 20 });
  return timingSafeEqual(made, expected);
}
