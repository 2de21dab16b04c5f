import { createHmac, randomUUID } from 'node:crypto';
import { networkOf, Problem, type Broker, type Cache, type Logger, type MemoryCache } from '@mortise/plugin-sdk';
import type { SignInSettings } from '../settings.js';
import { isLoopback } from './networks.js';
import { t } from '../texts/index.js';

/** Wrong passwords since a moment ago; forgotten at `until`. */
interface Failures {
  readonly count: number;
  readonly until: number;
}

/** Keys of the counters; undefined where that limit does not hold. */
interface Client {
  readonly pair: string | undefined;
  readonly network: string | undefined;
  readonly address: string;
  /** Name, network and password. */
  readonly attempt: string;
}

/** What the processes of a site tell each other. */
interface GuardMessage {
  readonly by: string;
  /** Keys that got one failure more; of a name only where `attempt` is a new one. */
  readonly failed?: readonly string[];
  /** What failed. */
  readonly attempt?: string;
  readonly cleared?: string;
  /** A process has begun: the others say that they are there. */
  readonly hello?: true;
}

interface Deps {
  readonly cache: Cache;
  readonly broker: Broker;
  readonly secret: Buffer;
  readonly log: Pick<Logger, 'warn'>;
}

const topic = 'accounts.signIn';
/** Kept at most; what a flood pushes out first was not used for the longest time. */
const maxEntries = 20_000;
/** A client that goes on with one wrong password guesses nothing; as many times the limit it may, for checks are work. */
const repeatsPerGuess = 25;

/**
 * Slows down the guessing of passwords: after some wrong ones nothing is checked for a while. Failures count by what
 * was given as name together with the client's network, so nobody can lock an account for its owner, who comes from
 * elsewhere; and, with a larger limit, by the network alone, for those who try many names. The same password again is
 * no further guess, whichever process checks it: a client with an old one in its settings keeps nobody out. What is
 * refused does not count. Names that do not exist are treated as those that do.
 */
export class SignInGuard {
  readonly #failures: MemoryCache<Failures>;
  /** Names and networks together would push each other out. */
  readonly #networks: MemoryCache<Failures>;
  /** By name, network and password. */
  readonly #repeats: MemoryCache<Failures>;
  /** Checks that go on, by either key: many at once must not be more than one after the other. */
  readonly #open = new Map<string, number>();
  /** The same again with the password: a client with several connections asks once. */
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #process = randomUUID();
  /** The other processes of the site. */
  #others = new Set<string>();

  constructor(
    private readonly deps: Deps,
    private readonly settings: SignInSettings,
  ) {
    this.#failures = deps.cache.memory('accounts.failures', { max: maxEntries });
    this.#networks = deps.cache.memory('accounts.failures.networks', { max: maxEntries });
    this.#repeats = deps.cache.memory('accounts.failures.repeats', { max: maxEntries });
    deps.broker.subscribe(topic, (message) => this.#receive(message as GuardMessage));
    this.#broadcast({ hello: true });
  }

  /** Runs `check` unless there were too many failures (429); undefined from it is one more. */
  async attempt<T>(
    given: { readonly name: string; readonly password: string; readonly address: string },
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { FAILED_LOGIN_LIMIT: limit, FAILED_LOGIN_ADDRESS_LIMIT: networkLimit } = this.settings;
    // All clients may seem to come from here, when a proxy does not tell who they are.
    const network = networkLimit > 0 && !isLoopback(given.address) ? this.#digest(networkOf(given.address)) : undefined;
    const pair = limit > 0 ? this.#digest(`${networkOf(given.address)} ${given.name.toLowerCase()}`) : undefined;
    if (!network && !pair) return check();
    const attempt = this.#digest(`${pair ?? ''}${network ?? ''}\0${given.name.toLowerCase()}\0${given.password}`);
    const running = this.#running.get(attempt) as Promise<T | undefined> | undefined;
    if (running) return running;
    if (network) this.#allow(this.#networks.get(network), networkLimit, this.#open.get(network));
    const repeats = this.#repeats.get(attempt);
    if (pair && repeats && repeats.until > Date.now()) this.#allow(repeats, limit * repeatsPerGuess);
    else if (pair) this.#allow(this.#failures.get(pair), limit, this.#open.get(pair));
    const work = this.#run({ pair, network, address: given.address, attempt }, check).finally(() =>
      this.#running.delete(attempt),
    );
    this.#running.set(attempt, work);
    return work;
  }

  async #run<T>(client: Client, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const { pair, network } = client;
    const keys = [pair, network].filter((key) => key !== undefined);
    for (const key of keys) this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    try {
      const result = await check();
      if (result === undefined) this.#fail(client);
      else if (pair && this.#failures.get(pair)) this.#clear(pair);
      return result;
    } finally {
      for (const key of keys) {
        const left = (this.#open.get(key) ?? 1) - 1;
        if (left > 0) this.#open.set(key, left);
        else this.#open.delete(key);
      }
    }
  }

  #allow(failures: Failures | undefined, limit: number, open = 0): void {
    const now = Date.now();
    const known = failures && failures.until > now ? failures : undefined;
    // What goes on elsewhere is not known yet: each process takes its share, so that all together keep the limit.
    if ((known?.count ?? 0) + open * (1 + this.#others.size) < limit) return;
    const seconds = known && known.count >= limit ? Math.ceil((known.until - now) / 1000) : 1;
    const message =
      seconds > 90
        ? t.later('error.tooManyAttemptsMinutes', { minutes: Math.ceil(seconds / 60) })
        : t.later('error.tooManyAttempts', { seconds });
    throw new Problem('too_many', message, {
      headers: { 'retry-after': String(seconds) },
    });
  }

  #fail({ pair, network, address, attempt }: Client): void {
    const failed: string[] = [];
    const isNew = this.#count(this.#repeats, attempt) === 1;
    if (pair) {
      failed.push(`name ${pair}`);
      if (isNew && this.#count(this.#failures, pair) === this.settings.FAILED_LOGIN_LIMIT)
        this.deps.log.warn('too many wrong passwords for a name from one address', {
          event: 'signIn.tooManyForName',
          address,
        });
    }
    if (network) {
      failed.push(`network ${network}`);
      if (this.#count(this.#networks, network) === this.settings.FAILED_LOGIN_ADDRESS_LIMIT)
        this.deps.log.warn('too many wrong passwords from one address', { event: 'signIn.tooManyForAddress', address });
    }
    this.#broadcast({ failed, attempt });
  }

  #count(counters: MemoryCache<Failures>, key: string): number {
    const now = Date.now();
    const known = counters.get(key);
    const { count, until } =
      known && known.until > now ? known : { count: 0, until: now + this.settings.FAILED_LOGIN_WINDOW * 1000 };
    counters.set(key, { count: count + 1, until }, { ttl: Math.max(1, until - now) });
    return count + 1;
  }

  #clear(pair: string): void {
    this.#failures.delete(pair);
    this.#broadcast({ cleared: pair });
  }

  #broadcast(what: Omit<GuardMessage, 'by'>): void {
    // A broker that is away must not keep people out: this process goes on counting alone.
    void this.deps.broker.publish(topic, { by: this.#process, ...what } satisfies GuardMessage).catch(() => undefined);
  }

  #receive({ by, failed = [], attempt, cleared, hello }: GuardMessage): void {
    if (by === this.#process) return;
    if (hello) {
      // who has ended says nothing any more
      this.#others.clear();
      this.#broadcast({});
    }
    this.#others.add(by);
    if (cleared) this.#failures.delete(cleared);
    const isNew = attempt === undefined || this.#count(this.#repeats, attempt) === 1;
    for (const one of failed) {
      const [kind, key] = one.split(' ') as [string, string];
      if (kind === 'network') this.#count(this.#networks, key);
      else if (isNew) this.#count(this.#failures, key);
    }
  }

  /** What people type as their name may be a password; it is kept and sent in no readable form. */
  #digest(text: string): string {
    return createHmac('sha256', this.deps.secret).update(text).digest('base64');
  }
}
