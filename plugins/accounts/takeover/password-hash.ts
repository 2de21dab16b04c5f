const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** What an algorithm is called without its costs stands for these. */
const defaults: Readonly<Record<string, string>> = {
  '': 'pbkdf2$10000$50',
  pbkdf2: 'pbkdf2$10000$50',
  pbkdf2_v1: 'pbkdf2$10000$50',
  pbkdf2_v2: 'pbkdf2$50000$50',
  pbkdf2_hi: 'pbkdf2$320000$50',
  argon2: 'argon2$2$65536$8$50',
  scrypt: 'scrypt$65536$16$2$50',
  bcrypt: 'bcrypt$10',
};

/**
 * A hash of the compatible kind in the PHC string format; bcrypt has a format of its own. Empty where there is none or it
 * is of another kind: the account gets a new password by mail.
 */
export function passwordHash(algorithm: string, hash: string, salt: string): string {
  if (hash === '') return '';
  const [name, ...costs] = (defaults[algorithm] ?? algorithm).split('$');
  if (name === 'bcrypt') return /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(hash) ? hash : '';
  if (!/^(?:[0-9a-f]{2})+$/i.test(hash)) return '';
  const digest = base64(Buffer.from(hash, 'hex'));
  const from = base64(saltBytes(salt));
  const [a, b, c] = costs.map(Number);
  if (name === 'pbkdf2') return `$pbkdf2-sha256$i=${a}$${from}$${digest}`;
  if (name === 'argon2' && isAffordable(a, b, c)) return `$argon2id$v=19$m=${b},t=${a},p=${c}$${from}$${digest}`;
  if (name === 'scrypt') return `$scrypt$ln=${Math.log2(a ?? 0)},r=${b},p=${c}$${from}$${digest}`;
  return '';
}

/** Passes, memory in KiB and threads of Argon2: what is checked takes no gigabytes, or minutes. */
const isAffordable = (passes = 0, memory = 0, threads = 0): boolean =>
  passes >= 1 && passes <= 100 && memory >= 8 && memory <= 2 ** 19 && threads >= 1 && threads <= 64;

/** Old salts are ten characters, the others hex. */
const saltBytes = (salt: string): Buffer => (salt.length === 10 ? Buffer.from(salt) : Buffer.from(salt, 'hex'));
