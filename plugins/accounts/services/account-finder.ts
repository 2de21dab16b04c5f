import type { QueryBuilder } from 'objection';
import {
  type Actor,
  type Database,
  type QueryCache,
  type PointReader,
  contains,
  containsInAnyCase,
} from '@mortise/plugin-sdk';
import type { Account, AccountSearch, MembershipSource } from '../api.js';
import type { AccountKind } from '../contract/account.js';
import type { AccountFilter } from '../contract/accounts.js';
import { actionsUser, actionsUserId } from '../contract/actions-user.js';
import { AccountRow, toAccount } from '../models/account.js';
import { BlockRow } from '../models/block.js';
import { EmailRow } from '../models/email.js';
import { RedirectRow } from '../models/user-redirect.js';
import type { AccountPresenter } from './account-presenter.js';

export interface AccountFinderDeps {
  readonly database: Database;
  /** Keyed by id and by name. */
  readonly rows: QueryCache<Account | undefined>;
  readonly signInCache: QueryCache<AccountRow | undefined>;
  readonly present: AccountPresenter;
  readonly sources: PointReader<MembershipSource>;
  readonly filters: PointReader<AccountFilter>;
  /** What searches found, by all that they asked. */
  readonly searches: QueryCache<{ readonly ids: readonly number[]; readonly total: number }>;
}

/** Leaves the accounts that the viewer may know of, as their records say. */
export function whereKnown(
  query: QueryBuilder<AccountRow>,
  viewer: Actor,
  sources: readonly MembershipSource[],
  table = 'user',
): void {
  const id = `${table}.id`;
  const visibility = `${table}.visibility`;
  if (viewer.publicOnly) void query.where(visibility, 'public');
  else if (viewer.isAdmin) return;
  else if (viewer.kind !== 'user') void query.where(visibility, 'public');
  else
    void query.where((any) => {
      void any.where(id, viewer.id);
      void any.orWhereIn(visibility, viewer.isRestricted ? ['public'] : ['public', 'limited']);
      for (const source of sources) {
        void any.orWhereIn(id, source.organizations(viewer.id));
        void any.orWhereIn(id, source.colleagues(viewer.id));
      }
    });
}

/** Those that a search finds: restricted people find themselves and their organizations alone, as clients expect. */
function whereFound(query: QueryBuilder<AccountRow>, viewer: Actor, sources: readonly MembershipSource[]): void {
  whereKnown(query, viewer, sources);
  if (viewer.kind !== 'user' || !viewer.isRestricted || viewer.isAdmin) return;
  void query.where((any) => {
    void any.where('user.id', viewer.id);
    for (const source of sources) void any.orWhereIn('user.id', source.organizations(viewer.id));
  });
}

const bothKeys = {
  also: (account: Account | undefined) => (account ? [`#${account.id}`, `@${account.lowerName}`] : []),
};

/** Looks accounts up: by id, name, address and search, in batches where many are wanted. */
export class AccountFinder {
  protected readonly database: Database;
  protected readonly present: AccountPresenter;
  readonly #rows: QueryCache<Account | undefined>;
  readonly #signIn: QueryCache<AccountRow | undefined>;
  readonly #sources: PointReader<MembershipSource>;
  readonly #filters: PointReader<AccountFilter>;
  readonly #searches: AccountFinderDeps['searches'];

  constructor(deps: AccountFinderDeps) {
    this.database = deps.database;
    this.present = deps.present;
    this.#rows = deps.rows;
    this.#signIn = deps.signInCache;
    this.#sources = deps.sources;
    this.#filters = deps.filters;
    this.#searches = deps.searches;
  }

  async byId(id: number): Promise<Account | undefined> {
    if (id === actionsUserId) return actionsUser;
    const load = async () => {
      const row = await this.database.query(AccountRow).findById(id);
      return row && toAccount(row);
    };
    return this.#rows.load(`#${id}`, load, bothKeys);
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Account>> {
    const load = async (missing: readonly string[]) => {
      const wanted = missing.map((key) => Number(key.slice(1)));
      const rows = await this.database.query(AccountRow).whereIn('id', wanted);
      return new Map(rows.map((row) => [`#${row.id}`, toAccount(row)]));
    };
    const loaded = await this.#rows.loadMany(
      ids.filter((id) => id !== actionsUserId).map((id) => `#${id}`),
      load,
      bothKeys,
    );
    const rows = new Map([...loaded.values()].flatMap((one) => (one ? [[one.id, one] as const] : [])));
    return ids.includes(actionsUserId) ? rows.set(actionsUserId, actionsUser) : rows;
  }

  async byName(name: string): Promise<Account | undefined> {
    const lower = name.toLowerCase();
    const load = async () => {
      const row = await this.database.query(AccountRow).findOne({ lower_name: lower });
      // MySQL finds `ada` for `ada ` too.
      return row?.lower_name === lower ? toAccount(row) : undefined;
    };
    return this.#rows.load(`@${lower}`, load, bothKeys);
  }

  async byNames(names: readonly string[]): Promise<Map<string, Account>> {
    const wanted = [...new Set(names.map((name) => name.toLowerCase()))];
    if (wanted.length === 0) return new Map();
    const rows = await this.database.query(AccountRow).whereIn('lower_name', wanted);
    return new Map(rows.map((row) => [row.lower_name, toAccount(row)]));
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return (await this.byEmails([email])).get(email.toLowerCase());
  }

  byEmails(emails: readonly string[]): Promise<Map<string, Account>> {
    return this.#ownersOf(emails, { is_verified: true });
  }

  byConfirmedEmails(emails: readonly string[]): Promise<Map<string, Account>> {
    return this.#ownersOf(emails, { is_verified: true, is_confirmed: true });
  }

  async #ownersOf(emails: readonly string[], which: Partial<EmailRow>): Promise<Map<string, Account>> {
    const accounts = new Map<string, Account>();
    const wanted = [...new Set(emails.filter(Boolean).map((email) => email.toLowerCase()))];
    if (wanted.length === 0) return accounts;
    const owners = await this.database.query(EmailRow).whereIn('lower_email', wanted).where(which);
    const hidden = wanted
      .map((email) => ({ email, owner: this.present.hiddenOwner(email) }))
      .filter((entry) => entry.owner);
    const byId = await this.byIds([
      ...owners.map((row) => row.user_id),
      ...hidden.flatMap(({ owner }) => owner?.id ?? []),
    ]);
    const byName = await this.byNames(
      hidden.filter(({ owner }) => owner?.id === undefined).map(({ owner }) => owner!.lowerName),
    );
    for (const row of owners) {
      const account = byId.get(row.user_id);
      if (account) accounts.set(row.lower_email, account);
    }
    for (const { email, owner } of hidden) {
      const account = owner!.id === undefined ? byName.get(owner!.lowerName) : byId.get(owner!.id);
      if (account) accounts.set(email, account);
    }
    return accounts;
  }

  async renamedTo(name: string): Promise<string | undefined> {
    const redirect = await this.database.query(RedirectRow).findById(name.toLowerCase());
    return redirect && (await this.byId(redirect.user_id))?.name;
  }

  async count(filter: { isAdmin?: boolean; kind?: AccountKind } = {}): Promise<number> {
    const query = this.database.query(AccountRow).where('kind', filter.kind ?? 'user');
    if (filter.isAdmin !== undefined) void query.where('is_admin', filter.isAdmin);
    return query.resultSize();
  }

  async blocks(blockerId: number, blockedId: number): Promise<boolean> {
    const row = await this.database.query(BlockRow).select('blocker_id').findById([blockerId, blockedId]);
    return row !== undefined;
  }

  async blockersAmong(ids: readonly number[], blockedId: number): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const rows = await this.database
      .query(BlockRow)
      .select('blocker_id')
      .where('blocked_id', blockedId)
      .whereIn('blocker_id', [...ids]);
    return new Set(rows.map((row) => row.blocker_id));
  }

  async blockedAmong(blockerId: number, ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const rows = await this.database
      .query(BlockRow)
      .select('blocked_id')
      .where('blocker_id', blockerId)
      .whereIn('blocked_id', [...ids]);
    return new Set(rows.map((row) => row.blocked_id));
  }

  /** With the password hash; never leaves the service. */
  protected async rowForSignIn(nameOrEmail: string): Promise<AccountRow | undefined> {
    const lower = nameOrEmail.toLowerCase();
    return this.#signIn.load(lower, () => this.#loadForSignIn(lower));
  }

  async #loadForSignIn(lower: string): Promise<AccountRow | undefined> {
    // Failures count by what was given as name: MySQL must not find `ada` for `ada ` here either.
    if (!lower.includes('@')) {
      const row = await this.database.query(AccountRow).findOne({ lower_name: lower, kind: 'user' });
      return row?.lower_name === lower ? row : undefined;
    }
    // who waits for the mail to their address says so with the address too, unless somebody else uses it
    const email = await this.database
      .query(EmailRow)
      .where('lower_email', lower)
      .where((any) => any.where('is_verified', true).orWhere('is_primary', true))
      .orderBy([{ column: 'is_verified', order: 'desc' }, 'id'])
      .first();
    return email?.lower_email === lower ? this.database.query(AccountRow).findById(email.user_id) : undefined;
  }

  /** Text is looked for in each account, so the same question is answered once until one of them changes in more than counts. */
  protected async searchRows(search: AccountSearch): Promise<{ items: Account[]; total: number }> {
    const viewer = search.visibleTo;
    const seen = viewer && [viewer.kind, viewer.id, viewer.isAdmin, viewer.isRestricted, viewer.publicOnly];
    const key = JSON.stringify({ ...search, visibleTo: seen });
    const { ids, total } = await this.#searches.load(key, () => this.#search(search));
    const accounts = await this.byIds(ids);
    return { items: ids.flatMap((id) => accounts.get(id) ?? []), total };
  }

  async #search(search: AccountSearch): Promise<{ ids: number[]; total: number }> {
    const query = this.database.query(AccountRow);
    const equal: readonly (readonly [string, unknown])[] = [
      ['id', search.id],
      ['kind', search.kind],
      ['login_name', search.loginName],
      ['source_id', search.sourceId],
      ['is_active', search.isActive],
      ['is_admin', search.isAdmin],
      ['is_restricted', search.isRestricted],
      ['prohibit_login', search.prohibitLogin],
    ];
    for (const [column, value] of equal) if (value !== undefined) void query.where(column, value as string);
    if (search.ids) void query.whereIn('id', [...search.ids]);
    if (search.visibility) void query.whereIn('visibility', [...search.visibility]);
    for (const [key, holds] of Object.entries(search.filters ?? {})) {
      const filter = this.#filters.list().find((one) => one.key === key);
      if (filter) filter.where(holds, query);
      else if (holds) void query.whereIn('id', []);
    }
    const viewer = search.visibleTo;
    const text = search.text?.trim();
    if (text) {
      void query.where((any) => {
        void any.where(contains('lower_name', text)).orWhere(containsInAnyCase('full_name', text));
        const byEmail = (query: QueryBuilder<AccountRow>) => void query.where(containsInAnyCase('email', text));
        if (!viewer || viewer.isAdmin) void any.orWhere(byEmail);
        else
          void any.orWhere((shown) => {
            byEmail(shown);
            void shown.where((open) => {
              void open.where('keep_email_private', false);
              if (viewer.kind === 'user') void open.orWhere('id', viewer.id);
            });
          });
      });
    }
    if (viewer) whereFound(query, viewer, this.#sources.list());
    // all columns would be counts too, which change more often
    const total = await query.clone().select('user.id').resultSize();
    const order = { name: 'lower_name', newest: 'created_at', oldest: 'created_at', updated: 'updated_at', id: 'id' }[
      search.sort ?? 'name'
    ];
    const descending = (search.sort === 'newest') !== (search.descending ?? false);
    const rows = await query
      .select('user.id')
      .orderBy(order, descending ? 'desc' : 'asc')
      .orderBy('id')
      .limit(search.limit)
      .offset(search.offset);
    return { ids: rows.map(({ id }) => id), total };
  }
}
