import {
  actAudited,
  NotFound,
  Problem,
  type Database,
  type Events,
  type QueryCache,
  type Encryption,
} from '@mortise/plugin-sdk';
import type { GuessLimits } from '@mortise/accounts/api';
import { secondFactorChanged, type SecondFactors } from '../api.js';
import type { EnrolledFactors } from '../contract/auth-two-factor.js';
import { KeyRow } from '../models/key.js';
import { RecoveryCodeRow } from '../models/recovery-code.js';
import { TotpRow } from '../models/totp.js';
import { t } from '../texts/index.js';
import { stepOf } from './one-time-codes.js';
import { hashCode, makeCodes, readCode } from './recovery-codes.js';

/** Wrong codes for an account from anywhere; recovery codes and keys go on working, so its owner is never shut out. */
const maxFailures = 50;
const failureSpan = 60 * 60_000;

interface FactorDeps {
  readonly database: Database;
  readonly events: Events;
  readonly limits: GuessLimits;
  readonly known: QueryCache<EnrolledFactors>;
  /** Seals the secrets of apps. */
  readonly encryption: Encryption;
  /** For hashes of recovery codes. */
  readonly codeKey: Buffer;
}

/** One-time codes and recovery codes of accounts. */
export class Factors implements SecondFactors {
  constructor(private readonly deps: FactorDeps) {}

  of(userId: number): Promise<EnrolledFactors> {
    const { database, known } = this.deps;
    return known.load(String(userId), async () => {
      const totp = await database.query(TotpRow).findById(userId).select('user_id');
      const keys = await database.query(KeyRow).where('user_id', userId).resultSize();
      return { totp: totp !== undefined, keys };
    });
  }

  async has(userId: number): Promise<boolean> {
    const { totp, keys } = await this.of(userId);
    return totp || keys > 0;
  }

  /** Is it what an app with this secret shows now? */
  isCode(secret: string, code: string): boolean {
    return stepOf(secret, code, Date.now()) !== undefined;
  }

  /** Stores the secret of an app. `code` is the first that it made; Invalid when that is wrong. Gives recovery codes. */
  async enrol(userId: number, secret: string, code: string): Promise<readonly string[]> {
    const step = stepOf(secret, code, Date.now());
    if (step === undefined) throw wrongCode();
    return this.deps.database.write(async () => {
      const { database, encryption } = this.deps;
      await database.query(TotpRow).deleteById(userId);
      await database.query(TotpRow).insert({
        user_id: userId,
        secret: encryption.encrypt(secret),
        last_step: step,
        failures: 0,
        failing_since: 0,
        created_at: Date.now(),
      });
      await this.#changed(userId, 'totpAdded');
      return this.#codesAtFirst(userId);
    });
  }

  /** NotFound when there is none. */
  async removeTotp(userId: number): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      if ((await database.query(TotpRow).deleteById(userId)) === 0) throw NotFound('one-time code app');
      await this.#changed(userId, 'totpRemoved');
      await this.dropCodesAtLast(userId);
    });
  }

  /** How many recovery codes are left. */
  codesLeft(userId: number): Promise<number> {
    return this.deps.database.query(RecoveryCodeRow).where('user_id', userId).resultSize();
  }

  /** New recovery codes in the place of the old ones. */
  async makeCodes(userId: number): Promise<readonly string[]> {
    const { database } = this.deps;
    return database.write(async () => {
      await this.#changed(userId, 'codesMade');
      return this.#storeCodes(userId);
    });
  }

  async #storeCodes(userId: number): Promise<readonly string[]> {
    const { codeKey, database } = this.deps;
    const codes = makeCodes();
    await database.query(RecoveryCodeRow).delete().where('user_id', userId);
    for (const code of codes) {
      const code_hash = hashCode(codeKey, userId, readCode(code)!);
      await database.query(RecoveryCodeRow).insert({ user_id: userId, code_hash });
    }
    return codes;
  }

  /** For the first factor of an account; none where it has codes already. In the transaction. */
  async #codesAtFirst(userId: number): Promise<readonly string[]> {
    return (await this.codesLeft(userId)) > 0 ? [] : this.#storeCodes(userId);
  }

  /** The same for a first key. In the transaction. */
  codesForKey(userId: number): Promise<readonly string[]> {
    return this.#codesAtFirst(userId);
  }

  /** Recovery codes stand for another factor: they go with the last one. In the transaction. */
  async dropCodesAtLast(userId: number): Promise<void> {
    const { database } = this.deps;
    const totp = await database.query(TotpRow).findById(userId).select('user_id');
    const keys = await database.query(KeyRow).where('user_id', userId).resultSize();
    if (!totp && keys === 0) await database.query(RecoveryCodeRow).delete().where('user_id', userId);
  }

  async reset(userId: number): Promise<boolean> {
    const { database } = this.deps;
    return database.write(async () => {
      const gone = [
        await database.query(TotpRow).deleteById(userId),
        await database.query(KeyRow).delete().where('user_id', userId),
        await database.query(RecoveryCodeRow).delete().where('user_id', userId),
      ];
      if (gone.every((count) => count === 0)) return false;
      await this.#changed(userId, 'reset');
      return true;
    });
  }

  /** Uses up a one-time code or a recovery code. Throws 429 after too many wrong ones. `address`: of the client. */
  async use(userId: number, code: string, address: string): Promise<boolean> {
    const plain = readCode(code);
    const check = () => (plain ? this.#useRecovery(userId, plain) : this.#useTotp(userId, code));
    return this.#attempt(userId, address, check);
  }

  /** The same for programs, which have no recovery codes. */
  async useTotp(userId: number, code: string, address: string): Promise<boolean> {
    return this.#attempt(userId, address, () => this.#useTotp(userId, code));
  }

  async #attempt(userId: number, address: string, check: () => Promise<boolean>): Promise<boolean> {
    const name = `second factor of ${userId}`;
    const { database, events, limits } = this.deps;
    if (await limits.attempt({ name, address }, async () => (await check()) || undefined)) return true;
    const target = { kind: 'second_factor', name: '' };
    const act = { action: 'second_factor.fail', target, userId, remoteAddress: address };
    await database.write(() => events.emit(actAudited, act));
    return false;
  }

  async #useRecovery(userId: number, plain: string): Promise<boolean> {
    const { codeKey, database } = this.deps;
    const code_hash = hashCode(codeKey, userId, plain);
    return database.write(
      async () => (await database.query(RecoveryCodeRow).delete().where({ user_id: userId, code_hash })) === 1,
    );
  }

  async #useTotp(userId: number, code: string): Promise<boolean> {
    const { database, encryption } = this.deps;
    const now = Date.now();
    return database.write(async () => {
      const row = await database.query(TotpRow).findById(userId);
      if (!row) return false;
      const isFailing = Number(row.failing_since) > now - failureSpan;
      if (isFailing && row.failures >= maxFailures)
        throw new Problem('too_many', t.later('error.tooMany'), { headers: { 'retry-after': '600' } });
      const step = stepOf(encryption.decrypt(row.secret), code, now);
      // the row itself decides which of two requests with the same code was first
      const fresh = { last_step: step, failures: 0, failing_since: 0 };
      const own = database.query(TotpRow).where('user_id', userId);
      if (step !== undefined && (await own.clone().where('last_step', '<', step).patch(fresh)) === 1) return true;
      if (isFailing) await own.clone().increment('failures', 1);
      else await own.clone().patch({ failures: 1, failing_since: now });
      return false;
    });
  }

  async #changed(userId: number, change: 'totpAdded' | 'totpRemoved' | 'codesMade' | 'reset'): Promise<void> {
    await this.deps.events.emit(secondFactorChanged, { userId, change });
  }
}

export const wrongCode = (): Problem =>
  new Problem('invalid', t.later('error.code'), { inputs: { passcode: t.later('error.code') } });
