import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type Locks, type Logger } from '@mortise/plugin-sdk';
import { isIncomingOn, type IncomingMailSettings } from '../settings.js';
import type { IncomingMailService } from './incoming-mail.js';
import { Mailbox } from './mailbox.js';

interface MailboxReaderDeps {
  readonly settings: IncomingMailSettings;
  readonly incoming: Pick<IncomingMailService, 'take'>;
  readonly locks: Locks;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Milliseconds between looks where the server does not tell of new mails. */
const pollMs = 60_000;
const [shortestPauseMs, longestPauseMs] = [1000, 300_000];
/** How long this process waits for its turn, and then until it asks again. */
const lockWaitMs = 2000;
const standbyMs = 20_000;
/** A mail that fails so often is left, marked as read. */
const maxFailures = 10;

/** Reads the mailbox as long as the server runs: one process does, another takes over when that one is gone. */
export class MailboxReader {
  readonly #stopping = new AbortController();
  /** By the number of the mail. */
  readonly #failures = new Map<number, number>();

  constructor(private readonly deps: MailboxReaderDeps) {}

  /** Resolves when `stop` was called and the mail at hand is done. */
  async run(): Promise<void> {
    const { settings, locks, log } = this.deps;
    if (!settings.ENABLED) return;
    if (!isIncomingOn(settings)) {
      log.warn('answers by mail are off: set HOST and REPLY_TO_ADDRESS in [email.incoming]', {
        event: 'mail.incoming.incomplete',
      });
      return;
    }
    const { signal } = this.#stopping;
    while (!signal.aborted)
      try {
        await locks.hold('mail.incoming', (lock) => this.#serve(AbortSignal.any([signal, lock.signal])), {
          waitMs: lockWaitMs,
        });
      } catch (error) {
        // usual: another process has it
        if (!Problem.is(error) || error.code !== 'unavailable')
          log.warn('could not take the lock of the mailbox', { event: 'mail.incoming.lock', error });
        await pause(standbyMs, signal);
      }
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const { HOST } = this.deps.settings;
    let pauseMs = shortestPauseMs;
    while (!signal.aborted) {
      try {
        await this.#session(signal, () => (pauseMs = shortestPauseMs));
      } catch (error) {
        if (signal.aborted) return;
        this.deps.log.warn(`could not read the mailbox: ${error instanceof Error ? error.message : String(error)}`, {
          event: 'mail.incoming.unreachable',
          host: HOST,
        });
      }
      await pause(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  async #session(signal: AbortSignal, onRead: () => void): Promise<void> {
    const mailbox = await Mailbox.open(this.deps.settings);
    try {
      this.deps.log.info('reading the mailbox', { event: 'mail.incoming.connected', host: this.deps.settings.HOST });
      while (!signal.aborted && mailbox.isOpen) {
        for (const uid of await mailbox.unseen()) {
          if (signal.aborted) return;
          await this.#take(mailbox, uid);
        }
        onRead();
        await mailbox.waitForNews(pollMs, signal);
      }
    } finally {
      mailbox.close();
    }
  }

  /** Marks it only when everything that it brought is stored. */
  async #take(mailbox: Mailbox, uid: number): Promise<void> {
    const received = await mailbox.read(uid);
    if (!received) return;
    try {
      const outcome = await this.deps.incoming.take(received);
      const isDeleted = outcome === 'handled' && this.deps.settings.DELETE_HANDLED_MESSAGE;
      await mailbox.finish(uid, { isDeleted });
      this.#failures.delete(uid);
    } catch (error) {
      if (!mailbox.isOpen) throw error;
      const count = (this.#failures.get(uid) ?? 0) + 1;
      this.#failures.set(uid, count);
      this.deps.log.error('could not take an incoming mail', { event: 'mail.incoming.failed', attempt: count, error });
      if (count < maxFailures) return;
      this.#failures.delete(uid);
      await mailbox.finish(uid, { isDeleted: false });
    }
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
