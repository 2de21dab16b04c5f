import { createHash, randomBytes } from 'node:crypto';
import {
  actAudited,
  type Actor,
  type Database,
  type Events,
  type QueryCache,
  type Reply,
  writeBehind,
  type Logger,
  type WriteBehind,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import {
  sessionsEnded,
  type NewSession,
  type Session,
  type Sessions,
  type SourceSession,
} from '../contract/sessions.js';
import { SessionRow, toSession } from '../models/session.js';

interface SessionRules {
  readonly cookie: string;
  /** Milliseconds. */
  readonly lifeTime: number;
  readonly rememberTime: number;
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
const sourceKeyOf = ({ sourceId, subject }: Pick<SourceSession, 'sourceId' | 'subject'>) =>
  hashOf(`${sourceId} ${subject}`);

/** Sessions live in the database, so every process knows them; the browser has a random text, we have its hash. */
export class SessionService implements Sessions {
  /** Session id → time of the last use. */
  readonly uses: WriteBehind;

  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly cached: QueryCache<Session | undefined>,
    private readonly rules: SessionRules,
    private readonly events: Events,
    log: Logger,
  ) {
    this.uses = writeBehind({
      name: 'uses of sessions',
      keep: 'latest',
      delayMs: 60_000,
      log,
      write: (uses) => this.#writeUses(uses),
    });
  }

  async signIn(given: NewSession, reply: Reply): Promise<Reply> {
    const secret = randomBytes(32).toString('base64url');
    const now = Date.now();
    const span = given.remember ? this.rules.rememberTime : this.rules.lifeTime;
    await this.database.write(async () => {
      await this.database.query(SessionRow).insert({
        user_id: given.userId,
        token_hash: hashOf(secret),
        user_agent: given.userAgent.slice(0, 255),
        remote_address: given.remoteAddress.slice(0, 64),
        is_remembered: given.remember,
        created_at: now,
        last_used_at: now,
        expires_at: now + span,
        ...(given.sourceSession && {
          source_key: sourceKeyOf(given.sourceSession),
          source_session: given.sourceSession,
        }),
      });
      const { name } = await this.accounts.update(given.userId, { lastLoginAt: now });
      const target = { kind: 'user', id: given.userId, name };
      const { userId, remoteAddress } = given;
      await this.events.emit(actAudited, { action: 'user.sign_in', target, actorId: userId, userId, remoteAddress });
    });
    return reply.cookie(this.rules.cookie, secret, {
      httpOnly: true,
      ...(given.remember ? { maxAge: span / 1000 } : {}),
    });
  }

  async signOut(actor: Actor, reply: Reply): Promise<Reply> {
    const { id: userId, name, credentialId: id } = actor;
    if (actor.method === 'session' && id)
      await this.database.write(async () => {
        await this.#end(userId, { id });
        await this.events.emit(actAudited, {
          action: 'user.sign_out',
          target: { kind: 'user', id: userId, name },
          userId,
        });
      });
    return reply.cookie(this.rules.cookie, null);
  }

  async sourceSession({ id: userId, method, credentialId: id }: Actor): Promise<SourceSession | undefined> {
    if (method !== 'session' || !id) return undefined;
    const row = await this.database.query(SessionRow).findOne({ id, user_id: userId });
    return row?.source_session ?? undefined;
  }

  async list(userId: number): Promise<Session[]> {
    const rows = await this.database
      .query(SessionRow)
      .where('user_id', userId)
      .where('expires_at', '>', Date.now())
      .orderBy('id', 'desc')
      .limit(200);
    return rows.map(toSession);
  }

  async end(userId: number, which: { id?: number; keep?: number }): Promise<void> {
    await this.database.write(async () => {
      const count = await this.#end(userId, which);
      if (count === 0) return;
      const target = { kind: 'user', id: userId, name: (await this.accounts.byId(userId))?.name ?? '' };
      await this.events.emit(actAudited, { action: 'session.end', target, userId, details: { count } });
    });
  }

  async endOfSource(sourceId: number, subject: string, indexes: readonly string[]): Promise<void> {
    await this.database.write(async () => {
      const rows = await this.database
        .query(SessionRow)
        .where('source_key', sourceKeyOf({ sourceId, subject }))
        .limit(200);
      for (const { id, user_id, source_session } of rows)
        if (indexes.length === 0 || indexes.includes(source_session?.index ?? '')) await this.end(user_id, { id });
    });
  }

  /** In a transaction; gives how many there were. */
  async #end(userId: number, { id, keep }: { id?: number; keep?: number }): Promise<number> {
    const query = this.database.query(SessionRow).where('user_id', userId);
    if (id !== undefined) void query.where('id', id);
    if (keep !== undefined) void query.whereNot('id', keep);
    const sessionIds = (await query.clone().select('id')).map((row) => row.id);
    if (sessionIds.length === 0) return 0;
    await query.delete();
    await this.events.emit(sessionsEnded, { userId, sessionIds });
    return sessionIds.length;
  }

  /** The actor of a cookie's value, or undefined when it is unknown, too old or its account may not act. */
  async actorOf(secret: string): Promise<Actor | undefined> {
    if (!/^[\w-]{43}$/.test(secret)) return undefined;
    const key = hashOf(secret);
    const session = await this.cached.load(key, async () => {
      const row = await this.database.query(SessionRow).findOne({ token_hash: key });
      return row && toSession(row);
    });
    const now = Date.now();
    if (!session || Math.max(session.expiresAt, this.#expiryAfterUse(session)) < now) return undefined;
    const account = await this.accounts.byId(session.userId);
    if (!account || this.accounts.refusal(account)) return undefined;
    this.uses.add(session.id, now);
    return this.accounts.actorOf(account, 'session', { credentialId: session.id });
  }

  /** Moves the end of the sessions that were in use. */
  async #writeUses(uses: readonly (readonly [id: number, at: number])[]): Promise<void> {
    await this.database.write(async () => {
      for (const [id, at] of uses) {
        const row = await this.database.query(SessionRow).findById(id);
        if (row)
          await row.$query(this.database.knex()).patch({
            last_used_at: at,
            expires_at: Math.max(Number(row.expires_at), at + this.#span(row.is_remembered)),
          });
      }
    });
  }

  async sweep(): Promise<void> {
    await this.database.write(async () => {
      await this.database.query(SessionRow).delete().where('expires_at', '<', Date.now());
    });
  }

  #span(remembered: boolean): number {
    return remembered ? this.rules.rememberTime : this.rules.lifeTime;
  }

  #expiryAfterUse(session: Session): number {
    const used = this.uses.get(session.id);
    return used ? used + this.#span(session.isRemembered) : 0;
  }
}
