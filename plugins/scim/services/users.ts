import type { QueryBuilder } from 'objection';
import {
  Forbidden,
  NotFound,
  pageOf,
  retryDuplicate,
  toId,
  type Database,
  type Model,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, AccountChanges, Accounts } from '@mortise/accounts/api';
import { ProvisionedUserRow } from '../models/provisioned-user.js';
import { UserRow } from '../models/user.js';
import { whereFilter, type Attributes } from './filter.js';
import { patched, type PatchBody } from './patch.js';
import { checkVersion, userSchemaId, type Json, type ListQuery, type Resource } from './representation.js';
import { scimProblem } from './scim-problem.js';
import type { ScimToken } from './tokens.js';
import {
  accountNameOf,
  emailOf,
  defaultAttributesOf,
  isActive,
  fullNameOf,
  readUser,
  attributesFrom,
  userNames,
  userResource,
  type UserAttributes,
  type UserInput,
} from './user-resources.js';

interface Deps {
  readonly accounts: Accounts;
  readonly database: Database;
  readonly site: Pick<Site, 'url'>;
}

/** An account, and what its provider has said of it. */
interface KnownUser {
  readonly account: Account;
  /** Undefined: no token has changed it. */
  readonly row: ProvisionedUserRow | undefined;
}

/** A statement takes only so many values. */
const maxCandidates = 500;

const inAnyCase = (sql: string, ...bindings: readonly string[]) => ({ sql, bindings, type: 'textInAnyCase' }) as const;

const userName = inAnyCase('coalesce(??, ??)', 'scim_user.lower_user_name', 'user.lower_name');
const externalId = { sql: "coalesce(??, '')", bindings: ['scim_user.external_id'], type: 'text' } as const;
const fullName = inAnyCase('lower(??)', 'user.full_name');
const email = inAnyCase('lower(??)', 'user.email');

const attributes: Attributes = {
  id: { sql: '??', bindings: ['user.id'], type: 'id' },
  username: userName,
  externalid: externalId,
  displayname: fullName,
  'name.formatted': fullName,
  'name.givenname': inAnyCase("lower(coalesce(??, ''))", 'scim_user.given_name'),
  'name.familyname': inAnyCase("lower(coalesce(??, ''))", 'scim_user.family_name'),
  emails: email,
  'emails.value': email,
  'emails.type': inAnyCase("lower(coalesce(nullif(??, ''), 'work'))", 'scim_user.email_type'),
  active: {
    sql: '(case when ?? = 1 and ?? = 0 then 1 else 0 end)',
    bindings: ['user.is_active', 'user.prohibit_login'],
    type: 'boolean',
  },
};

/**
 * Leaves the people whom a token sees: those that it has provisioned, and those that no other token has and that belong to
 * no other login source. The table is `user`, or joined to it.
 */
export function whereVisibleTo(query: QueryBuilder<Model>, token: ScimToken): void {
  query
    .leftJoin('scim_user', 'scim_user.user_id', 'user.id')
    .where('user.kind', 'user')
    .where((seen) => {
      seen.where({ 'scim_user.token_id': token.id, 'scim_user.is_deleted': false }).orWhere((unmanaged) => {
        unmanaged.whereNull('scim_user.user_id').whereIn('user.source_id', [0, token.loginSourceId]);
      });
    });
}

/** Site administrators are changed by those tokens alone that may. */
export const manages = (token: ScimToken, { isAdmin }: Account): boolean => !isAdmin || token.managesAdministrators;

/** @throws Forbidden unless the token {@link manages} the account */
export function refuseAdministrator(token: ScimToken, account: Account): void {
  if (!manages(token, account))
    throw Forbidden(`${account.name} is a site administrator, whom this token does not manage.`);
}

/** Accounts, as identity providers manage them (RFC 7643, 4.1). Each change is one transaction. */
export class ScimUsers {
  readonly #attributes: Attributes;

  constructor(private readonly deps: Deps) {
    const column = 'user.id';
    this.#attributes = {
      ...attributes,
      username: { ...userName, candidates: { column, ids: (name) => this.#idsCalled(name) } },
      externalid: { ...externalId, candidates: { column, ids: (id) => this.#idsKnownAs(id) } },
    };
  }

  async list(token: ScimToken, { filter, startIndex, count }: ListQuery) {
    const query = this.deps.database.query(UserRow).select('user.id').orderBy('user.id');
    whereVisibleTo(query, token);
    if (filter) await whereFilter(query, filter, this.#attributes);
    const { rows, total } = await pageOf(query, { limit: count, offset: startIndex - 1 });
    const known = await this.#known(rows.map(({ id }) => id));
    return { resources: known.map((one) => this.#present(one)), total };
  }

  /** @throws NotFound */
  async byId(token: ScimToken, id: string): Promise<Resource & Json> {
    return this.#present(await this.#find(token, id));
  }

  /** Those of these people whom the token sees. */
  async visibleAmong(token: ScimToken, ids: readonly number[]): Promise<ReadonlyMap<number, Account>> {
    const { accounts, database } = this.deps;
    const seen: number[] = [];
    // a statement takes only so many values
    for (let at = 0; at < ids.length; at += 500) {
      const query = database
        .query(UserRow)
        .select('user.id')
        .whereIn('user.id', ids.slice(at, at + 500));
      whereVisibleTo(query, token);
      for (const { id } of await query) seen.push(id);
    }
    return accounts.byIds(seen);
  }

  /**
   * Makes the account; one that the provider has deleted before comes back.
   *
   * @throws problems of the types `invalidValue` and `uniqueness`
   */
  create(token: ScimToken, body: unknown): Promise<Resource & Json> {
    const input = readUser(body);
    const { database } = this.deps;
    const store = async () => {
      const returning = await this.#deleted(token, input);
      if (returning) {
        await database.query(ProvisionedUserRow).findById(returning.row.id).patch({ is_deleted: false });
        return this.#change(token, returning, { ...input, active: input.active ?? true });
      }
      return this.#make(token, input);
    };
    return retryDuplicate(() => database.write(store));
  }

  /** @throws NotFound, Forbidden, 412, and problems of the types `invalidValue` and `uniqueness` */
  replace(token: ScimToken, id: string, body: unknown, ifMatch?: string): Promise<Resource & Json> {
    const input = readUser(body);
    return this.#write(token, id, ifMatch, (user) => this.#change(token, user, input));
  }

  /** As {@link replace}, with the problems of {@link patched}. */
  patch(token: ScimToken, id: string, body: PatchBody, ifMatch?: string): Promise<Resource & Json> {
    return this.#write(token, id, ifMatch, async (user) => {
      const after = await patched(this.#present(user), body.Operations, { names: userNames, schemaId: userSchemaId });
      return this.#change(token, user, readUser(after));
    });
  }

  /** The person cannot sign in any more, and is not there for the token; account and repositories stay. */
  remove(token: ScimToken, id: string, ifMatch?: string): Promise<void> {
    return this.#write(token, id, ifMatch, async (user) => {
      const { account, row } = user;
      const stored = row ?? defaultAttributesOf(account);
      const { prohibitLogin, isDeactivated } = activityAfter(account, stored, false);
      if (prohibitLogin !== account.prohibitLogin) await this.deps.accounts.update(account.id, { prohibitLogin });
      await this.#keep(token, user, { ...(row ? {} : stored), is_deactivated: isDeactivated, is_deleted: true });
    });
  }

  /** After a change from elsewhere: whom it permits to sign in, the provider prohibits no more. */
  async forgetDeactivation(userId: number): Promise<void> {
    const permitted = UserRow.query().select('id').where({ id: userId, prohibit_login: false });
    await this.deps.database.query(ProvisionedUserRow).whereIn('user_id', permitted).patch({ is_deactivated: false });
  }

  async #write<T>(
    token: ScimToken,
    id: string,
    ifMatch: string | undefined,
    work: (user: KnownUser) => Promise<T>,
  ): Promise<T> {
    const { database } = this.deps;
    return retryDuplicate(() =>
      database.write(async () => {
        // so that nobody else changes the account
        await database.query(UserRow).findById(toId(id)).forUpdate();
        const user = await this.#find(token, id);
        checkVersion(ifMatch, this.#present(user));
        refuseAdministrator(token, user.account);
        return work(user);
      }),
    );
  }

  async #make(token: ScimToken, input: UserInput): Promise<Resource & Json> {
    const { accounts, database } = this.deps;
    const address = emailOf(input);
    if (address === undefined) throw scimProblem('invalidValue', 'A user needs an email address.');
    const called = await this.#idsCalled(input.userName.toLowerCase());
    const seen = database
      .query(UserRow)
      .select('user.id')
      .whereIn('user.id', [...called]);
    whereVisibleTo(seen, token);
    const same = await seen
      .whereRaw(`${userName.sql} = ?`, [...userName.bindings, input.userName.toLowerCase()])
      .first();
    if (same) throw scimProblem('uniqueness', `There is a user called "${input.userName}".`);
    const name = accountNameOf(input.userName);
    await this.#refuseTaken(0, { name, email: address });
    const account = await accounts.create({
      name,
      email: address,
      fullName: fullNameOf(input),
      prohibitLogin: input.active === false,
      ...(token.loginSourceId && { sourceId: token.loginSourceId, loginName: input.userName }),
    });
    await database.query(ProvisionedUserRow).insert({
      token_id: token.id,
      user_id: account.id,
      ...attributesFrom(input),
      is_deactivated: input.active === false,
    });
    return this.#present(await this.#find(token, String(account.id)));
  }

  async #change(token: ScimToken, user: KnownUser, input: UserInput): Promise<Resource & Json> {
    const { accounts } = this.deps;
    const { account, row } = user;
    const before = row ?? defaultAttributesOf(account);
    const isRenamed = input.userName.toLowerCase() !== before.user_name.toLowerCase();
    const name = isRenamed ? accountNameOf(input.userName) : account.name;
    const address = emailOf(input, account) ?? account.email;
    if (name !== account.name || address !== account.email)
      await this.#refuseTaken(account.id, { name, email: address });
    if (name !== account.name) await accounts.rename(account.id, name);
    const activity = activityAfter(account, before, input.active);
    const full = fullNameOf(input, account);
    const belongs = token.loginSourceId > 0 && account.sourceId === token.loginSourceId;
    const changes: AccountChanges = {
      ...(full !== account.fullName && { fullName: full }),
      ...(address.toLowerCase() !== account.email.toLowerCase() && { email: address }),
      ...(activity.prohibitLogin !== account.prohibitLogin && { prohibitLogin: activity.prohibitLogin }),
      ...(belongs && isRenamed && { loginName: input.userName }),
    };
    if (Object.keys(changes).length > 0) await accounts.update(account.id, changes);
    await this.#keep(token, user, { ...attributesFrom(input), is_deactivated: activity.isDeactivated });
    return this.#present(await this.#find(token, String(account.id)));
  }

  async #keep(token: ScimToken, { account, row }: KnownUser, said: Partial<ProvisionedUserRow>): Promise<void> {
    const { database } = this.deps;
    if (row) await database.query(ProvisionedUserRow).findById(row.id).patch(said);
    else await database.query(ProvisionedUserRow).insert({ token_id: token.id, user_id: account.id, ...said });
  }

  /** @throws a problem of the type `uniqueness` */
  async #refuseTaken(ownId: number, { name, email: address }: Pick<Account, 'name' | 'email'>): Promise<void> {
    const { accounts } = this.deps;
    const named = await accounts.byName(name);
    if (named && named.id !== ownId) throw scimProblem('uniqueness', `There is an account called "${name}".`);
    const holder = (await accounts.byConfirmedEmails([address])).get(address.toLowerCase());
    if (holder && holder.id !== ownId) throw scimProblem('uniqueness', `Another account has the address ${address}.`);
  }

  /** Whom the provider has deleted, and creates again. @throws a problem of the type `uniqueness`: it is somebody else */
  async #deleted(token: ScimToken, { userName, externalId = '' }: UserInput) {
    const { accounts, database } = this.deps;
    const row = await database
      .query(ProvisionedUserRow)
      .findOne({ token_id: token.id, lower_user_name: userName.toLowerCase(), is_deleted: true });
    const account = row && (await accounts.byId(row.user_id));
    if (!account) return undefined;
    if (externalId && row.external_id && externalId !== row.external_id)
      throw scimProblem('uniqueness', `The account of an earlier user is called "${userName}".`);
    refuseAdministrator(token, account);
    return { account, row };
  }

  /** Of those whom any token calls so, and of the account of this name. */
  async #idsCalled(lowerName: string): Promise<readonly number[]> {
    const { database } = this.deps;
    const rows = await database.query(ProvisionedUserRow).select('user_id').where('lower_user_name', lowerName);
    const accounts = await database.query(UserRow).select('id').where('lower_name', lowerName);
    return [...rows.map((row) => row.user_id), ...accounts.map(({ id }) => id)];
  }

  /** Undefined where they are too many for a statement, and for the empty id. */
  async #idsKnownAs(id: string): Promise<readonly number[] | undefined> {
    if (id === '') return undefined;
    const query = this.deps.database.query(ProvisionedUserRow).select('user_id').where('external_id', id);
    const rows = await query.limit(maxCandidates + 1);
    return rows.length > maxCandidates ? undefined : rows.map((row) => row.user_id);
  }

  async #find(token: ScimToken, id: string): Promise<KnownUser> {
    const query = this.deps.database.query(UserRow).select('user.id').where('user.id', toId(id));
    whereVisibleTo(query, token);
    const row = await query.first();
    const [known] = row ? await this.#known([row.id]) : [];
    if (!known) throw NotFound(`User ${id} does not exist.`);
    return known;
  }

  /** In their order. */
  async #known(ids: readonly number[]): Promise<readonly KnownUser[]> {
    const { accounts, database } = this.deps;
    const found = await accounts.byIds(ids);
    const rows = await database.query(ProvisionedUserRow).whereIn('user_id', [...ids]);
    const byUser = new Map(rows.map((row) => [row.user_id, row]));
    return ids.flatMap((id) => {
      const account = found.get(id);
      return account ? [{ account, row: byUser.get(id) }] : [];
    });
  }

  #present({ account, row }: KnownUser): Resource & Json {
    return userResource(account, row ?? defaultAttributesOf(account), (path) => this.deps.site.url(path));
  }
}

/** What an administrator has prohibited here, a provider does not permit again. */
function activityAfter(
  account: Account,
  { is_deactivated: wasDeactivated }: Pick<UserAttributes, 'is_deactivated'>,
  wanted: boolean | undefined,
): { readonly prohibitLogin: boolean; readonly isDeactivated: boolean } {
  const byProvider = wasDeactivated && account.prohibitLogin;
  if (wanted === true && byProvider) return { prohibitLogin: false, isDeactivated: false };
  if (wanted === false && isActive(account)) return { prohibitLogin: true, isDeactivated: true };
  return { prohibitLogin: account.prohibitLogin, isDeactivated: byProvider };
}
