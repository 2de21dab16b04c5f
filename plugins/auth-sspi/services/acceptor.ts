import { createHash } from 'node:crypto';
import { networkOf, Problem, type Logger, type MemoryCache } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { KerberosLibrary } from './library.js';

/** A ticket that holds. */
interface Accepted {
  readonly principal: string;
  /** Proves to the client who we are (mutual authentication); for `WWW-Authenticate: Negotiate`. */
  readonly answer: string;
}

interface AcceptorDeps {
  /** Throws a Problem where the library cannot be used. */
  readonly load: () => KerberosLibrary;
  /** `HTTP@host` */
  readonly service: string;
  /** Digests of the tokens that were accepted; see {@link replaySpan}. */
  readonly used: MemoryCache<true>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** For as long a ticket's authenticator is good at most: clocks may differ by five minutes either way. */
const replaySpan = 11 * 60_000;
/** Each takes a thread of the pool that files and names are read with. */
const maxAtOnce = 2;
const maxWaiting = 200;
/** Who sends tokens that do not hold leaves places to others. */
const maxWaitingOfOne = 50;

/** Checks tickets, on threads of their own. Kerberos itself keeps a list of those that were used; so do we. */
export class Acceptor {
  #running = 0;
  readonly #waiting: { readonly network: string; readonly begin: () => void }[] = [];

  constructor(private readonly deps: AcceptorDeps) {}

  /**
   * A token in base64, from the network of that address. Undefined: it does not hold. Problem (503): it could not be told.
   */
  async accept(token: string, address: string): Promise<Accepted | undefined> {
    const { load, log, service, used } = this.deps;
    const library = load();
    // of the bytes: base64 can spell the same ones in several ways
    const digest = createHash('sha256').update(Buffer.from(token, 'base64')).digest('base64');
    if (used.get(digest)) {
      log.warn('rejected a Negotiate token that was sent before', { event: 'kerberos.replay' });
      return undefined;
    }
    const acceptance = await this.#inTurn(networkOf(address), async () => {
      const opened = await library.initializeServer(service).catch((error: unknown) => {
        log.warn('could not use Kerberos', { event: 'kerberos.unavailable', service, error });
        throw new Problem('unavailable', t.later('error.setup'));
      });
      try {
        return { answer: await opened.step(token), opened };
      } catch (error) {
        log.info('rejected a Negotiate token', { event: 'kerberos.rejected', reason: (error as Error).message });
        return undefined;
      }
    });
    const principal = acceptance?.opened.username;
    // one that came twice at once was good once
    if (!principal || used.get(digest)) return undefined;
    used.set(digest, true, { ttl: replaySpan });
    return { principal, answer: acceptance.answer ?? '' };
  }

  async #inTurn<T>(network: string, work: () => Promise<T>): Promise<T> {
    if (this.#running >= maxAtOnce) {
      const isFull = this.#waiting.length >= maxWaiting;
      if (isFull || this.#waiting.filter((one) => one.network === network).length >= maxWaitingOfOne)
        throw new Problem('unavailable', t.later('error.busy'), { headers: { 'retry-after': '1' } });
      await new Promise<void>((begin) => this.#waiting.push({ network, begin }));
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // the place goes over to the next
      if (next) next.begin();
      else this.#running--;
    }
  }
}
