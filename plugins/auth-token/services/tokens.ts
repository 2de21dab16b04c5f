import * as crypto from 'node:crypto';
import {
  actAudited,
  pageOf,
  BadRequest,
  Forbidden,
  Invalid,
  NotFound,
  refusedField,
  type Actor,
  type AuditedAct,
  type Database,
  type Events,
  type QueryCache,
  writeBehind,
  type Logger,
  type WriteBehind,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { AccessToken, AccessTokens, Scopes, TokenScopes } from '../contract/auth-token.js';
import { AccessTokenRow, toToken } from '../models/access-token.js';
import { t } from '../texts/index.js';
import { checkExpiry, hasExpired, noticeTime } from './expiry.js';
import { renewImported } from './imported-tokens.js';

export interface FoundToken {
  readonly token: AccessToken;
  readonly scopes: Scopes;
}

interface OwnedToken extends FoundToken {
  readonly account: Account;
}

const isName = (name: string): boolean => name !== '' && name.length <= 255;

/** Node 20.12 and later: half the time of an object that hashes. */
const { hash } = crypto as { hash?: (algorithm: string, data: string) => string };

export const hashOf = (secret: string): string =>
  hash ? hash('sha256', secret) : crypto.createHash('sha256').update(secret).digest('hex');

export const isToken = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

/** Access tokens: 20 random bytes in hex, of which the database has only the hash. */
export class TokenService implements AccessTokens {
  /** Token id → time of the last use. */
  readonly uses: WriteBehind;

  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly scopes: TokenScopes,
    private readonly cached: QueryCache<FoundToken | undefined>,
    private readonly events: Events,
    log: Logger,
  ) {
    this.uses = writeBehind({
      name: 'uses of tokens',
      keep: 'latest',
      delayMs: 200,
      restMs: 60_000,
      log,
      write: (uses) =>
        database.write(async () => {
          for (const [id, at] of uses)
            await database
              .query(AccessTokenRow)
              .findById(id)
              .where('last_used_at', '<', at)
              .patch({ last_used_at: at });
        }),
    });
  }

  async list(
    userId: number,
    page: { limit: number; offset: number },
  ): Promise<{ items: AccessToken[]; total: number }> {
    const query = this.database.query(AccessTokenRow).where('user_id', userId);
    const { rows, total } = await pageOf(query.orderBy('id', 'desc'), page);
    return { items: rows.map((row) => this.#withUse(toToken(row))), total };
  }

  async byId(id: number): Promise<AccessToken | undefined> {
    const row = await this.database.query(AccessTokenRow).findById(id);
    return row && this.#withUse(toToken(row));
  }

  async create(given: {
    userId: number;
    name: string;
    scopes: readonly string[];
    creator: Actor;
    expiresAt?: number;
  }): Promise<{ token: AccessToken; secret: string }> {
    const inputs = {
      ...(!isName(given.name) && { name: t.later('error.name') }),
      ...(given.scopes.length === 0 && { scopes: t.later('error.noScope') }),
    };
    if (!isName(given.name)) throw Invalid(t.later('error.name'), { inputs });
    if (given.scopes.length === 0)
      throw BadRequest('A token needs at least one scope.', { text: t.later('error.noScope'), inputs });
    const wanted = this.scopes.read(given.scopes);
    if (this.scopes.exceeds(wanted, given.creator.scopes)) throw Forbidden(t.later('error.exceeds'));
    const scopes = this.scopes.write({ ...wanted, publicOnly: wanted.publicOnly || given.creator.publicOnly });
    const secret = crypto.randomBytes(20).toString('hex');
    const now = Date.now();
    checkExpiry(given.expiresAt, now, given.creator);
    const { expiresAt = 0 } = given;
    return this.database.write(async () => {
      await this.#refuseTakenName(given.userId, given.name);
      const row = await this.database.query(AccessTokenRow).insertAndFetch({
        user_id: given.userId,
        name: given.name,
        token_hash: hashOf(secret),
        last_eight: secret.slice(-8),
        scopes,
        created_at: now,
        last_used_at: now,
        expires_at: expiresAt,
        notice_at: noticeTime(now, expiresAt),
      });
      await this.#audit('create', row);
      return { token: toToken(row), secret };
    });
  }

  async rename(userId: number, id: number, name: string): Promise<void> {
    if (!isName(name)) throw refusedField('name', t.later('error.name'));
    await this.database.write(async () => {
      const row = await this.database.query(AccessTokenRow).findOne({ id, user_id: userId });
      if (!row) throw NotFound('token');
      if (row.name === name) return;
      await this.#refuseTakenName(userId, name);
      await this.database.query(AccessTokenRow).findById(id).patch({ name });
      await this.#audit('rename', { ...row, name }, { before: row.name });
    });
  }

  async #refuseTakenName(userId: number, name: string): Promise<void> {
    const same = await this.database.query(AccessTokenRow).select('name').where('user_id', userId).where('name', name);
    // MySQL compares without case; names of tokens differ by case.
    if (same.some((row) => row.name === name))
      throw BadRequest(t.later('error.nameTaken'), { inputs: { name: t.later('error.nameTaken') } });
  }

  async remove(userId: number, idOrName: string | number): Promise<void> {
    await this.database.write(async () => {
      const byId = typeof idOrName === 'number' || /^\d{1,15}$/.test(idOrName);
      const where = byId ? { id: Number(idOrName) } : { name: idOrName };
      const rows = await this.database.query(AccessTokenRow).where('user_id', userId).where(where);
      const [row, ...more] = byId ? rows : rows.filter((one) => one.name === idOrName);
      if (!row) throw NotFound('token');
      if (more.length > 0) throw Invalid('Several tokens have this name. Use the ID of the token instead.');
      await this.database.query(AccessTokenRow).deleteById(row.id);
      await this.#audit('delete', row);
    });
  }

  #audit(
    verb: 'create' | 'delete' | 'rename',
    { id, name, scopes, user_id: userId }: Pick<AccessTokenRow, 'id' | 'name' | 'scopes' | 'user_id'>,
    more: AuditedAct['details'] = {},
  ): Promise<void> {
    const target = { kind: 'access_token', id, name };
    const details = { scopes, ...more };
    return this.events.emit(actAudited, { action: `access_token.${verb}`, target, userId, details });
  }

  async find(secret: string): Promise<OwnedToken | undefined> {
    const found = await this.lookUp(secret);
    if (!found || hasExpired(found.token)) return undefined;
    this.noteUse(found.token.id);
    return { ...found, token: this.#withUse(found.token) };
  }

  /** Also one that has expired. */
  async lookUp(secret: string): Promise<OwnedToken | undefined> {
    if (!isToken(secret)) return undefined;
    const key = hashOf(secret);
    const load = () =>
      this.cached.load(key, async () => {
        const row = await this.database.query(AccessTokenRow).findOne({ token_hash: key });
        return row && { token: toToken(row), scopes: this.scopes.readStored(row.scopes) };
      });
    let loaded = await load();
    if (!loaded && (await renewImported(this.database, secret, key))) loaded = await load();
    const account = loaded && (await this.accounts.byId(loaded.token.userId));
    return loaded && account && { ...loaded, account };
  }

  noteUse(id: number): void {
    this.uses.add(id, Date.now());
  }

  #withUse(token: AccessToken): AccessToken {
    const used = this.uses.get(token.id);
    return used && used > token.lastUsedAt ? { ...token, lastUsedAt: used } : token;
  }
}
