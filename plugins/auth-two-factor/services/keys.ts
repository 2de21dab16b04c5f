import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import {
  Invalid,
  NotFound,
  parseJsonObject,
  refuseDuplicate,
  type Database,
  type Events,
  type Logger,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { secondFactorChanged } from '../api.js';
import { KeyRow } from '../models/key.js';
import { UsedChallengeRow } from '../models/used-challenge.js';
import { t } from '../texts/index.js';
import type { Factors } from './factors.js';
import { formSpan, type EncryptedFields } from './encrypted-fields.js';

export type KeyKind = 'passkey' | 'key';

/** Options for the browser, and the challenge in them for the form that brings the answer. */
export interface KeyRequest {
  readonly options: object;
  readonly encrypted: string;
}

/** Of one account. */
const maxKeys = 50;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'));
/** Loaded with the first key that is asked for: three hundred modules, which would be a sixth of every start. */
const webauthn = () => import('@simplewebauthn/server');
const refused = () => Invalid(t.later('error.key'));

interface KeyDeps {
  readonly database: Database;
  readonly events: Events;
  readonly factors: Factors;
  readonly encryptedFields: EncryptedFields;
  readonly site: Site;
  readonly log: Pick<Logger, 'warn'>;
}

/** Security keys and passkeys (WebAuthn). What they answer holds for this site's address alone. */
export class Keys {
  readonly #origin: string;
  readonly #rpId: string;
  readonly #handleKey: Buffer;

  constructor(private readonly deps: KeyDeps) {
    const address = new URL(deps.site.rootUrl);
    this.#origin = address.origin;
    this.#rpId = address.hostname;
    this.#handleKey = deps.site.secret('auth-two-factor.userHandles');
  }

  /** May the account have one more? */
  static async hasRoom(database: Database, userId: number): Promise<boolean> {
    return (await database.query(KeyRow).where('user_id', userId).resultSize()) < maxKeys;
  }

  async list(userId: number): Promise<KeyRow[]> {
    return this.deps.database.query(KeyRow).where('user_id', userId).orderBy('id');
  }

  /** What the authenticator keeps as whose passkey it is; says nothing about the account. */
  #handle(userId: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(createHmac('sha256', this.#handleKey).update(String(userId)).digest());
  }

  /** For one challenge, options of both kinds. */
  async askNew(account: Account): Promise<{ readonly options: Record<KeyKind, object>; readonly encrypted: string }> {
    const challenge = randomBytes(32).toString('base64url');
    const known = (await this.list(account.id)).map((row) => ({ id: row.credential_id, transports: row.transports }));
    const { generateRegistrationOptions } = await webauthn();
    const make = (kind: KeyKind) =>
      generateRegistrationOptions({
        rpName: this.deps.site.name,
        rpID: this.#rpId,
        userName: account.name,
        userDisplayName: account.fullName || account.name,
        userID: this.#handle(account.id),
        challenge: bytesOf(challenge),
        attestationType: 'none',
        excludeCredentials: known,
        authenticatorSelection:
          kind === 'passkey'
            ? { residentKey: 'required', userVerification: 'required' }
            : { residentKey: 'discouraged', userVerification: 'discouraged' },
      });
    const encrypted = this.deps.encryptedFields.encrypt('new key', account.id, challenge);
    return { options: { passkey: await make('passkey'), key: await make('key') }, encrypted };
  }

  /** Stores a new key; gives recovery codes when it is the first factor. Invalid for an answer that does not hold. */
  async add(
    userId: number,
    given: { readonly name: string; readonly kind: KeyKind; readonly encrypted: string; readonly response: string },
  ): Promise<readonly string[]> {
    const { database, events, factors, encryptedFields } = this.deps;
    const expectedChallenge = encryptedFields.decrypt('new key', userId, given.encrypted);
    if (expectedChallenge === undefined) throw Invalid(t.later('error.tooLate'));
    const { verifyRegistrationResponse } = await webauthn();
    const { registrationInfo: made } = await verifyRegistrationResponse({
      response: readResponse<RegistrationResponseJSON>(given.response),
      expectedChallenge,
      expectedOrigin: this.#origin,
      expectedRPID: this.#rpId,
      requireUserVerification: given.kind === 'passkey',
    }).catch(() => {
      throw refused();
    });
    if (!made) throw refused();
    const { id, publicKey, counter, transports = [] } = made.credential;
    const now = Date.now();
    return database.write(async () => {
      await this.#useUp(expectedChallenge);
      if (!(await Keys.hasRoom(database, userId))) throw Invalid(t.later('error.keyTooMany', { max: maxKeys }));
      if (await database.query(KeyRow).findOne({ credential_hash: sha256(id) }))
        throw Invalid(t.later('error.keyKnown'));
      await database.query(KeyRow).insert({
        user_id: userId,
        name: given.name,
        credential_hash: sha256(id),
        credential_id: id,
        public_key: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports: transports.filter((word) => /^[a-z-]{1,20}$/.test(word)).slice(0, 8),
        is_passkey: given.kind === 'passkey',
        created_at: now,
        last_used_at: 0,
      });
      await events.emit(secondFactorChanged, { userId, change: 'keyAdded', name: given.name });
      return factors.codesForKey(userId);
    });
  }

  /** NotFound: the account does not have it. */
  async rename(userId: number, id: number, name: string): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      if ((await database.query(KeyRow).where({ id, user_id: userId }).patch({ name })) === 0) throw NotFound('key');
    });
  }

  async remove(userId: number, id: number): Promise<void> {
    const { database, events, factors } = this.deps;
    await database.write(async () => {
      const row = await database.query(KeyRow).findOne({ id, user_id: userId });
      if (!row) throw NotFound('key');
      await database.query(KeyRow).deleteById(id);
      await events.emit(secondFactorChanged, { userId, change: 'keyRemoved', name: row.name });
      await factors.dropCodesAtLast(userId);
    });
  }

  /** Asks for one of the account's keys; without an account for any passkey of this site. */
  async ask(userId?: number): Promise<KeyRequest> {
    const challenge = randomBytes(32).toString('base64url');
    const { generateAuthenticationOptions } = await webauthn();
    const options = await generateAuthenticationOptions({
      rpID: this.#rpId,
      challenge: bytesOf(challenge),
      userVerification: userId === undefined ? 'required' : 'discouraged',
      allowCredentials:
        userId === undefined
          ? undefined
          : (await this.list(userId)).map((row) => ({ id: row.credential_id, transports: row.transports })),
    });
    return { options, encrypted: this.deps.encryptedFields.encrypt('key', userId ?? 0, challenge) };
  }

  /**
   * Whose key has answered. With `userId` only a key of that account; without it only a passkey whose owner was verified
   * by it. Throws Invalid for everything else, and each challenge is good once.
   */
  async check(given: { readonly encrypted: string; readonly response: string }, userId?: number): Promise<number> {
    const { database, log, encryptedFields } = this.deps;
    const expectedChallenge = encryptedFields.decrypt('key', userId ?? 0, given.encrypted);
    if (expectedChallenge === undefined) throw Invalid(t.later('error.tooLate'));
    const response = readResponse<AuthenticationResponseJSON>(given.response);
    const row = await database.query(KeyRow).findOne({ credential_hash: sha256(response.id) });
    if (!row || (userId === undefined ? !row.is_passkey : row.user_id !== userId)) throw refused();
    const handle = response.response?.userHandle;
    if (handle && handle !== Buffer.from(this.#handle(row.user_id)).toString('base64url')) throw refused();
    const known = Number(row.counter);
    const { verifyAuthenticationResponse } = await webauthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: this.#origin,
      expectedRPID: this.#rpId,
      // its counter is compared below, where two requests cannot do it at once
      credential: { id: row.credential_id, publicKey: bytesOf(row.public_key), counter: 0 },
      requireUserVerification: userId === undefined,
    }).catch(() => {
      throw refused();
    });
    if (!verified) throw refused();
    const counter = authenticationInfo.newCounter;
    await database.write(async () => {
      await this.#useUp(expectedChallenge);
      const own = database.query(KeyRow).where('id', row.id);
      // keys without a counter say 0 for ever
      if (counter > 0 || known > 0) void own.where('counter', '<', counter);
      if ((await own.patch({ counter, last_used_at: Date.now() })) === 1) return;
      log.warn('the counter of a security key went back: it may have been copied', {
        event: 'twoFactor.counter',
        user: row.user_id,
        key: row.id,
      });
      throw refused();
    });
    return row.user_id;
  }

  /** In the transaction. */
  async #useUp(challenge: string): Promise<void> {
    const { database } = this.deps;
    const now = Date.now();
    await database.query(UsedChallengeRow).delete().where('expires_at', '<', now);
    const challenge_hash = sha256(challenge);
    await refuseDuplicate(refused(), async () =>
      database.query(UsedChallengeRow).insert({ challenge_hash, expires_at: now + 2 * formSpan }),
    );
  }
}

/** The browser's answer, as JSON in a field. */
function readResponse<T extends { id: string }>(text: string): T {
  const response = parseJsonObject(text);
  if (typeof response?.id !== 'string' || !response.id) throw refused();
  return response as unknown as T;
}
