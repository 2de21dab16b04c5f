import { actAudited, Problem, type Database, type Events, type Logger } from '@mortise/plugin-sdk';
import { type Account, type ExternalUser, type LoginSource } from '../api.js';
import { signInName } from '../contract/names.js';
import { AccountRow, toAccount } from '../models/account.js';
import { t } from '../texts/index.js';
import type { Provisioner } from './provisioner.js';
import { isOutdatedHash } from './imported-hashes.js';
import type { LoginSourceReader } from './login-sources.js';
import type { Passwords } from './passwords.js';
import type { RecentChecks } from './recent-checks.js';
import type { SignInGuard } from './sign-in-guard.js';

/** Signs of an email address; longer names are nobody's. */
const maxNameLength = 254;

interface PasswordCheckDeps {
  readonly database: Database;
  readonly events: Events;
  readonly rowOf: (nameOrEmail: string) => Promise<AccountRow | undefined>;
  /** Of some local accounts. */
  readonly hashesInUse: () => Promise<readonly string[]>;
  readonly passwords: Passwords;
  readonly guard: SignInGuard;
  readonly sources: LoginSourceReader;
  readonly provisioner: Provisioner;
  readonly recent: RecentChecks;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Is it the password of that account? Local accounts are known by their hash, those of a login source by the source. A
 * name that nobody has here is asked of all sources that check passwords: who is known there gets an account.
 */
export class PasswordCheck {
  constructor(private readonly deps: PasswordCheckDeps) {}

  /** `from`: see `Accounts.checkPassword`. */
  async check(typed: string, password: string, from?: string, isRecentEnough = false): Promise<Account | undefined> {
    const { rowOf, guard } = this.deps;
    const nameOrEmail = signInName(typed);
    const check = async () => {
      const row = nameOrEmail.length > maxNameLength ? undefined : await rowOf(nameOrEmail);
      return this.#check(row, nameOrEmail, password, isRecentEnough);
    };
    if (from === undefined) return check();
    // an account has one counter for its name and all its addresses; no name holds a NUL
    const row = nameOrEmail.length > maxNameLength ? undefined : await rowOf(nameOrEmail);
    const name = row ? `\0account ${row.id}` : nameOrEmail;
    const account = await guard.attempt({ name, password, address: from }, check);
    if (!account) await this.#auditFailure(row, from);
    return account;
  }

  /** What was typed as a name that nobody has may be a password: it is stored nowhere. */
  #auditFailure(row: AccountRow | undefined, remoteAddress: string): Promise<void> {
    const { database, events } = this.deps;
    const target = { kind: 'user', id: row?.id ?? 0, name: row?.name ?? '' };
    const act = { action: 'user.sign_in_failed', target, userId: row?.id ?? 0, remoteAddress };
    return database.write(() => events.emit(actAudited, act));
  }

  async #check(
    row: AccountRow | undefined,
    nameOrEmail: string,
    password: string,
    isRecentEnough: boolean,
  ): Promise<Account | undefined> {
    const { passwords, hashesInUse } = this.deps;
    if (row?.source_id) return this.#checkAtSource(row, password, isRecentEnough);
    if (row && row.password_hash !== '')
      return (await passwords.matches(row.password_hash, password)) ? this.#renewed(row, password) : undefined;
    await passwords.pretend(password, nameOrEmail, await hashesInUse());
    return row || nameOrEmail.length > maxNameLength ? undefined : this.#askAll(nameOrEmail, password);
  }

  /** Once the password is known to be right, a hash that another server made gives way to one of our own. */
  async #renewed(row: AccountRow, password: string): Promise<Account> {
    if (!isOutdatedHash(row.password_hash)) return toAccount(row);
    const { database, passwords } = this.deps;
    const made = await passwords.hash(password);
    await database.write(async () =>
      database.query(AccountRow).where({ id: row.id, password_hash: row.password_hash }).patch({ password_hash: made }),
    );
    return toAccount(row);
  }

  async #checkAtSource(row: AccountRow, password: string, isRecentEnough: boolean): Promise<Account | undefined> {
    const { sources, provisioner, recent } = this.deps;
    const source = await sources.byId(row.source_id);
    if (!source?.isActive || password === '' || row.login_name === '') return undefined;
    if (isRecentEnough && recent.has(source, row.login_name, password)) return toAccount(row);
    const externalUser = await this.#externalUser(source, row.login_name, password);
    if (externalUser?.loginName !== row.login_name) return undefined;
    const account = await provisioner.provision(source, externalUser);
    recent.add(source, row.login_name, password);
    return account;
  }

  async #externalUser(source: LoginSource, name: string, password: string): Promise<ExternalUser | undefined> {
    const { sources, log } = this.deps;
    try {
      return await sources.kind(source.kind)?.checkPassword?.(source, name, password);
    } catch (error) {
      if (Problem.is(error)) throw error;
      log.warn('could not reach a login source', { event: 'loginSource.unavailable', source: source.name, error });
      throw new Problem('unavailable', t.later('error.sourceSilent', { source: source.name }));
    }
  }

  async #askAll(name: string, password: string): Promise<Account | undefined> {
    const { sources, provisioner } = this.deps;
    if (password === '') return undefined;
    for (const source of await sources.list({ isActive: true })) {
      const externalUser = await this.#externalUserOf(source, name, password);
      if (externalUser) return provisioner.provision(source, externalUser);
    }
    return undefined;
  }

  /** A source that does not answer keeps nobody of the others out. */
  async #externalUserOf(source: LoginSource, name: string, password: string) {
    const { sources, log } = this.deps;
    try {
      return await sources.kind(source.kind)?.checkPassword?.(source, name, password);
    } catch (error) {
      log.warn('could not reach a login source', { event: 'loginSource.unavailable', source: source.name, error });
      return undefined;
    }
  }
}
