import { createHash } from 'node:crypto';
import {
  type Actor,
  actAudited,
  BadRequest,
  type Database,
  type Events,
  type QueryCache,
  Invalid,
  type Logger,
  type MemoryCache,
  NotFound,
  type PointReader,
  type Text,
  refuseDuplicate,
} from '@mortise/plugin-sdk';
import {
  credentialsChanged,
  isEmailAddress,
  primaryEmailChanged,
  userCreated,
  userDeleted,
  userDeleting,
  userRenamed,
  userVisibilityChanged,
  type Account,
  type AccountChanges,
  type Accounts,
  type AccountSearch,
  type ApiUser,
  type MembershipSource,
  type NewAccount,
  type Visibility,
} from '../api.js';
import type { AccountFilter } from '../contract/accounts.js';
import { AccountRow, changeColumns, toAccount } from '../models/account.js';
import { BlockRow } from '../models/block.js';
import { EmailRow } from '../models/email.js';
import { FollowRow } from '../models/follow.js';
import { RedirectRow } from '../models/user-redirect.js';
import type { ServiceSettings } from '../settings.js';
import { Provisioner } from './provisioner.js';
import { AccountFinder, type AccountFinderDeps } from './account-finder.js';
import type { LoginSourceReader } from './login-sources.js';
import { EmailHolders, standingColumns } from './email-holders.js';
import { auditedAccountAct, auditedEmailAct, changedFields } from './audited-account.js';
import { checkEmail, checkName } from './names.js';
import { PasswordCheck } from './password-check.js';
import type { Passwords } from './passwords.js';
import type { AccountPresenter } from './account-presenter.js';
import type { RecentChecks } from './recent-checks.js';
import type { SignInGuard } from './sign-in-guard.js';
import { t } from '../texts/index.js';
import { fieldRefusal } from './field-refusal.js';

interface AccountDeps {
  readonly database: Database;
  readonly events: Events;
  readonly rows: QueryCache<Account | undefined>;
  readonly searches: AccountFinderDeps['searches'];
  readonly signInCache: QueryCache<AccountRow | undefined>;
  readonly passwords: Passwords;
  readonly recent: RecentChecks;
  readonly guard: SignInGuard;
  readonly present: AccountPresenter;
  readonly sources: PointReader<MembershipSource>;
  readonly filters: PointReader<AccountFilter>;
  readonly reserved: PointReader<{ readonly names: readonly string[] }>;
  readonly settings: ServiceSettings;
  /** Of some accounts: they tell at which costs passwords are hashed. */
  readonly hashesInUse: MemoryCache<readonly string[]>;
  readonly loginSources: LoginSourceReader;
  readonly log: Logger;
}

/** Makes, changes and removes accounts; each change is one transaction with its events. */
export class AccountService extends AccountFinder implements Accounts {
  readonly #events: Events;
  readonly #holders: EmailHolders;
  readonly #passwords: Passwords;
  readonly #passwordCheck: PasswordCheck;
  readonly #reserved: AccountDeps['reserved'];
  readonly #settings: ServiceSettings;

  constructor(deps: AccountDeps) {
    super(deps);
    this.#events = deps.events;
    this.#holders = new EmailHolders(deps.database, deps.events);
    this.#passwords = deps.passwords;
    this.#passwordCheck = new PasswordCheck({
      ...deps,
      rowOf: (name) => this.rowForSignIn(name),
      hashesInUse: () =>
        deps.hashesInUse.load('', async () => {
          const rows = await deps.database.query(AccountRow).select('password_hash').orderBy('id', 'desc').limit(500);
          return rows.map((row) => row.password_hash).filter(Boolean);
        }),
      sources: deps.loginSources,
      provisioner: new Provisioner(deps.database, this, { get: (key) => deps.loginSources.kind(key) }, deps.log),
    });
    this.#reserved = deps.reserved;
    this.#settings = deps.settings;
  }

  randomPassword(): string {
    return this.#passwords.random();
  }

  checkName(name: string): void {
    checkName(
      name,
      this.#reserved.list().flatMap((entry) => [...entry.names]),
    );
  }

  async checkNewName(name: string): Promise<void> {
    this.checkName(name);
    await this.#nameIsFree(name);
  }

  async checkNewEmail(email: string, { isProvenLater = false } = {}): Promise<void> {
    checkEmail(email.trim());
    await this.#holders.check([email.trim()], { verified: !isProvenLater, proven: false });
  }

  checkNewPassword(password: string): void {
    this.#passwords.checkNew(password);
  }

  visibilitiesFor({ visibility }: { readonly visibility?: Visibility }): readonly Visibility[] {
    const allowed = this.#settings.ALLOWED_USER_VISIBILITY_MODES;
    return visibility && !allowed.includes(visibility) ? [...allowed, visibility] : allowed;
  }

  async create(given: NewAccount): Promise<Account> {
    this.checkName(given.name);
    const kind = given.kind ?? 'user';
    if (kind === 'user') this.#checkVisibility(given.visibility);
    const email = given.email.trim();
    if (kind === 'user' || email) checkEmail(email);
    if (given.password !== undefined) this.#passwords.checkNew(given.password);
    const passwordHash = given.password === undefined ? '' : await this.#passwords.hash(given.password);
    const standing = {
      // who waits to be let in has not yet shown that the address is theirs
      verified: !(given.isEmailClaimed && given.isActive === false),
      confirmed: !given.isEmailClaimed,
      proven: given.isEmailProven === true && !given.isEmailClaimed,
    };
    const now = Date.now();
    const settings = this.#settings;
    const store = async () => {
      await this.#nameIsFree(given.name);
      if (kind === 'user') await this.#holders.releaseClaims([email], standing);
      const row = await this.database.query(AccountRow).insertAndFetch({
        kind,
        name: given.name,
        lower_name: given.name.toLowerCase(),
        full_name: given.fullName ?? '',
        email,
        password_hash: passwordHash,
        description: given.description ?? '',
        location: given.location ?? '',
        website: given.website ?? '',
        keep_email_private: settings.DEFAULT_KEEP_EMAIL_PRIVATE,
        allow_create_organization: settings.DEFAULT_ALLOW_CREATE_ORGANIZATION,
        visibility: given.visibility ?? (kind === 'user' ? this.#firstVisibility() : 'public'),
        is_admin: given.isAdmin ?? false,
        is_active: given.isActive ?? true,
        is_restricted: given.isRestricted ?? settings.DEFAULT_USER_IS_RESTRICTED,
        prohibit_login: given.prohibitLogin ?? false,
        must_change_password: given.mustChangePassword ?? false,
        source_id: given.sourceId ?? 0,
        login_name: given.loginName ?? '',
        created_at: given.createdAt ?? now,
        updated_at: now,
      });
      if (kind === 'user') {
        await this.database.query(EmailRow).insert({
          user_id: row.id,
          email,
          lower_email: email.toLowerCase(),
          is_primary: true,
          ...standingColumns(email, standing),
        });
      }
      // The old name of somebody else now belongs to this account.
      await this.database.query(RedirectRow).deleteById(row.lower_name);
      await this.#events.emit(userCreated, { userId: row.id, name: row.name });
      await this.#events.emit(actAudited, auditedAccountAct('create', row));
      return toAccount(row);
    };
    return refuseDuplicate('The name or the email address is in use.', () => this.database.write(store));
  }

  async update(id: number, changes: AccountChanges): Promise<Account> {
    const patch: Record<string, unknown> = {};
    for (const [field, column] of Object.entries(changeColumns)) {
      const value = changes[field as keyof typeof changeColumns];
      if (value !== undefined) patch[column] = value;
    }
    if (changes.password !== undefined) {
      this.#passwords.checkNew(changes.password);
      patch.password_hash = await this.#passwords.hash(changes.password);
    }
    const email = changes.email?.trim();
    if (email && !isEmailAddress(email)) throw fieldRefusal('email', BadRequest, t.later('error.emailInvalid'));
    return this.database.write(async () => {
      const before = await this.database.query(AccountRow).findById(id);
      if (!before) throw NotFound('user');
      if (before.kind === 'user') this.#checkVisibility(changes.visibility, before);
      const leaves = changes.isAdmin === false || changes.isActive === false || changes.prohibitLogin === true;
      if (before.is_admin && leaves) await this.#anotherAdmin(id, BadRequest);
      if (email === '' && before.kind === 'user')
        throw fieldRefusal('email', BadRequest, t.later('error.emailInvalid'));
      if (email !== undefined) {
        // Nobody signs in with the address of an organization, and others may have the same.
        if (before.kind === 'user') await this.#primaryEmail(before, email);
        patch.email = email;
      }
      // whoever activates an account vouches for its address: it waits for no mail any more
      if (changes.isActive && !before.is_active) await this.#vouch(id);
      const row = await this.database.query(AccountRow).patchAndFetchById(id, { ...patch, updated_at: Date.now() });
      const guarded = ['password', 'isActive', 'prohibitLogin', 'mustChangePassword', 'isAdmin'] as const;
      if (guarded.some((field) => changes[field] !== undefined)) {
        await this.#events.emit(credentialsChanged, {
          userId: id,
          passwordChanged: changes.password !== undefined,
          keepSession: changes.keepSession,
        });
      }
      if (changes.password !== undefined)
        await this.#events.emit(actAudited, auditedAccountAct('change_password', row));
      const changed = changedFields(before, patch);
      if (changed.length) await this.#events.emit(actAudited, auditedAccountAct('edit', row, { changed }));
      if (row.visibility !== before.visibility)
        await this.#events.emit(userVisibilityChanged, { userId: id, visibility: row.visibility });
      return toAccount(row);
    });
  }

  #firstVisibility(): Visibility {
    const { DEFAULT_USER_VISIBILITY: usual, ALLOWED_USER_VISIBILITY_MODES: allowed } = this.#settings;
    return allowed.includes(usual) ? usual : allowed[0]!;
  }

  #checkVisibility(visibility: Visibility | undefined, before: { readonly visibility?: Visibility } = {}): void {
    if (visibility && !this.visibilitiesFor(before).includes(visibility))
      throw fieldRefusal('visibility', Invalid, t.later('error.visibility'));
  }

  async rename(id: number, name: string): Promise<Account> {
    const store = async () => {
      const before = await this.database.query(AccountRow).findById(id);
      if (!before) throw NotFound('user');
      if (before.name === name) return toAccount(before);
      this.checkName(name);
      const lower = name.toLowerCase();
      if (lower !== before.lower_name) await this.#nameIsFree(name);
      const row = await this.database
        .query(AccountRow)
        .patchAndFetchById(id, { name, lower_name: lower, updated_at: Date.now() });
      await this.database.query(RedirectRow).deleteById(lower);
      if (lower !== before.lower_name) {
        await this.database
          .query(RedirectRow)
          .insert({ lower_name: before.lower_name, user_id: id })
          .onConflict('lower_name')
          .merge();
      }
      await this.#events.emit(userRenamed, { userId: id, from: before.name, to: name });
      await this.#events.emit(actAudited, auditedAccountAct('rename', row, { from: before.name }));
      return toAccount(row);
    };
    return refuseDuplicate(`The name ${name} is taken.`, () => this.database.write(store));
  }

  async delete(id: number, { purge = false }: { purge?: boolean } = {}): Promise<void> {
    await this.database.write(async () => {
      const row = await this.database.query(AccountRow).findById(id);
      if (!row) throw NotFound('user');
      if (row.is_admin) await this.#anotherAdmin(id, Invalid);
      await this.#events.emit(userDeleting, { userId: id, name: row.name, purge });
      // there may be more of them than a statement takes values
      const followed = FollowRow.query().select('followed_id').where({ user_id: id });
      await this.database.query(AccountRow).whereIn('id', followed).decrement('follower_count', 1);
      const followers = FollowRow.query().select('user_id').where({ followed_id: id });
      await this.database.query(AccountRow).whereIn('id', followers).decrement('following_count', 1);
      await this.database.query(FollowRow).delete().where('user_id', id).orWhere('followed_id', id);
      await this.database.query(BlockRow).delete().where('blocker_id', id).orWhere('blocked_id', id);
      await this.database.query(AccountRow).deleteById(id);
      await this.#events.emit(userDeleted, { userId: id, name: row.name });
      await this.#events.emit(actAudited, auditedAccountAct('delete', row, { purge }));
    });
  }

  checkPassword(
    name: string,
    password: string,
    from?: string,
    { isRecentEnough = false } = {},
  ): Promise<Account | undefined> {
    return this.#passwordCheck.check(name, password, from, isRecentEnough);
  }

  async passwordStamp(userId: number): Promise<string> {
    const row = await this.database.query(AccountRow).findById(userId).select('password_hash');
    return row ? createHash('sha256').update(row.password_hash).digest('base64url') : '';
  }

  async addStarred(ids: readonly number[], by: { all?: number; public?: number }): Promise<void> {
    await this.database.write(async () => {
      // a statement takes only so many values
      for (let at = 0; at < ids.length; at += 500) {
        const rows = () => this.database.query(AccountRow).whereIn('id', ids.slice(at, at + 500));
        if (by.all) await rows().increment('starred_count', by.all);
        if (by.public) await rows().increment('public_starred_count', by.public);
      }
    });
  }

  actorOf(account: Account, method: string, more: Partial<Actor> = {}): Actor {
    return {
      kind: 'user',
      id: account.id,
      name: account.name,
      isAdmin: account.isAdmin,
      isRestricted: account.isRestricted,
      method,
      publicOnly: false,
      ...more,
    };
  }

  refusal(account: Account): Text | undefined {
    if (account.kind !== 'user' || account.prohibitLogin) return t.later('error.signInDisabled');
    if (!account.isActive) return t.later('error.inactive');
    if (account.mustChangePassword) return t.later('error.mustChangePassword');
    return undefined;
  }

  toApiUser(account: Account, viewer: Actor): ApiUser {
    return this.present.toApiUser(account, viewer);
  }

  ghost(): ApiUser {
    return this.present.ghost();
  }

  commitEmail(account: Account): string {
    return this.present.commitEmail(account);
  }

  avatarUrl(account: Account): string {
    return this.present.avatarUrl(account);
  }

  async search(search: AccountSearch): Promise<{ items: Account[]; total: number }> {
    return this.searchRows(search);
  }

  async #nameIsFree(name: string): Promise<void> {
    const taken = await this.database.query(AccountRow).select('id').findOne({ lower_name: name.toLowerCase() });
    if (taken) throw fieldRefusal('name', Invalid, t.later('error.nameTaken', { name }));
  }

  /** For the primary address. */
  async #vouch(userId: number): Promise<void> {
    const row = await this.database.query(EmailRow).findOne({ user_id: userId, is_primary: true });
    if (!row) return;
    const standing = { verified: true, confirmed: true, proven: row.is_proven };
    await this.#holders.releaseClaims([row.email], standing, { userId });
    await this.database.query(EmailRow).findById(row.id).patch(standingColumns(row.email, standing));
  }

  /** Another address of the account, or a new one, in the place of the primary one (which goes); vouched for by who sets it. */
  async #primaryEmail(row: AccountRow, email: string): Promise<void> {
    const lower = email.toLowerCase();
    if (row.email.toLowerCase() === lower) return;
    const known = await this.database.query(EmailRow).findOne({ user_id: row.id, lower_email: lower });
    const standing = { verified: true, confirmed: true, proven: known?.is_proven ?? false };
    await this.#holders.releaseClaims([email], standing, { userId: row.id, problem: BadRequest });
    await this.database.query(EmailRow).delete().where({ user_id: row.id, is_primary: true });
    const state = { is_primary: true, ...standingColumns(email, standing) };
    if (known) await this.database.query(EmailRow).findById(known.id).patch(state);
    else await this.database.query(EmailRow).insert({ user_id: row.id, email, lower_email: lower, ...state });
    await this.#events.emit(primaryEmailChanged, { userId: row.id, from: row.email, to: email });
    await this.#events.emit(actAudited, auditedEmailAct('change_primary', row.id, email, { from: row.email }));
  }

  /** ADM-12: somebody who can sign in must be left to run the site. */
  async #anotherAdmin(id: number, problem: (message: Text) => Error): Promise<void> {
    const other = await this.database
      .query(AccountRow)
      .select('id')
      .findOne({ kind: 'user', is_admin: true, is_active: true, prohibit_login: false })
      .whereNot('id', id);
    if (!other) throw problem(t.later('error.lastAdmin'));
  }
}
