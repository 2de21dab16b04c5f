import { createHmac, randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { BadRequest, formatList, type MemoryCache } from '@mortise/plugin-sdk';
import { characterKinds, type CharacterKind, type HashCosts } from '../settings.js';
import { t } from '../texts/index.js';
import { fieldRefusal } from './field-refusal.js';
import { isImportedHash, isKnownHash, matchesImported } from './imported-hashes.js';

/** Longer ones are not hashed: that would cost time. */
const maxBytes = 1024;

/** Hashes and checks passwords (argon2id). What was right a moment ago is not computed again for a minute. */
export class Passwords {
  /** Hashes that no account has, by their costs. */
  readonly #dummies = new Map<string, Promise<string>>();
  /** Checks that go on at this moment; many requests with one password wait for one of them. */
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(
    private readonly secret: Buffer,
    /** Undefined: nothing is remembered. */
    private readonly remembered: MemoryCache<true> | undefined,
    private readonly minimumLength: number,
    private readonly kinds: readonly CharacterKind[] = [],
    private readonly costs: HashCosts = {},
  ) {}

  /** Throws BadRequest for a new password that is too short, too long or too plain (admin-users-edit). */
  checkNew(password: string): void {
    if ([...password].length < this.minimumLength) {
      throw fieldRefusal('password', BadRequest, t.later('error.passwordShort', { min: this.minimumLength }));
    }
    if (Buffer.byteLength(password) > maxBytes)
      throw fieldRefusal('password', BadRequest, t.later('error.passwordLong', { max: maxBytes }));
    const missing = this.kinds.filter((kind) => !characterKinds[kind].test(password));
    if (missing.length > 0)
      throw fieldRefusal(
        'password',
        BadRequest,
        t.later('error.passwordKinds', { kinds: () => formatList(missing.map((kind) => t(`kind.${kind}`))) }),
      );
  }

  /** 96 random bits or more, and at the end one character of each kind. */
  random(): string {
    const length = Math.max(16, this.minimumLength);
    return `${randomBytes(length).toString('base64url').slice(0, length)}-aA0`;
  }

  hash(password: string): Promise<string> {
    return hash(password, this.costs);
  }

  /** Throws when it cannot be told, for instance for want of memory: that is no wrong password. */
  async matches(storedHash: string, password: string): Promise<boolean> {
    if (!isKnownHash(storedHash) || Buffer.byteLength(password) > maxBytes) {
      await this.pretend(password);
      return false;
    }
    // The stored hash is part of the key, so a changed password is forgotten at once.
    const key = createHmac('sha256', this.secret).update(storedHash).update('\0').update(password).digest('base64');
    if (this.remembered?.get(key)) return true;
    let running = this.#running.get(key);
    if (!running) {
      running = isImportedHash(storedHash) ? matchesImported(storedHash, password) : verify(storedHash, password);
      this.#running.set(key, running);
      const over = () => void this.#running.delete(key);
      running.then(over, over);
    }
    const right = await running;
    if (right) this.remembered?.set(key, true);
    return right;
  }

  /**
   * Spends the time of a check, so that answers do not tell which names exist. `inUse`: hashes of accounts, of which one
   * always stands for the same name; where costs were changed, their checks differ.
   */
  async pretend(password: string, name = '', inUse: readonly string[] = []): Promise<void> {
    const at = createHmac('sha256', this.secret).update('like\0').update(name.toLowerCase()).digest().readUInt32BE();
    const costs = costsOf(inUse[at % inUse.length] ?? '') ?? this.costs;
    await verify(await this.#dummy(costs), password.slice(0, maxBytes)).catch(() => false);
  }

  #dummy(costs: HashCosts): Promise<string> {
    const key = JSON.stringify(costs);
    let made = this.#dummies.get(key);
    if (!made) {
      made = hash('no account has this password', costs);
      this.#dummies.set(key, made);
      // for want of memory, for instance
      made.catch(() => this.#dummies.delete(key));
    }
    return made;
  }
}

/** What checking a hash costs, as it says itself. */
function costsOf(stored: string): HashCosts | undefined {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(stored);
  if (!match) return undefined;
  const [memoryCost, timeCost, parallelism] = match.slice(1).map(Number) as [number, number, number];
  return { memoryCost, timeCost, parallelism };
}
