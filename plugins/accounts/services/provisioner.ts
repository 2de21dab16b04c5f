import { createHash } from 'node:crypto';
import { Forbidden, Problem, type Database, type Logger, type PointReader } from '@mortise/plugin-sdk';
import {
  externalAccountName,
  isEmailAddress,
  type Account,
  type AccountChanges,
  type Accounts,
  type ExternalUser,
  type LoginSource,
  type LoginSourceKind,
} from '../api.js';
import { AccountRow, toAccount } from '../models/account.js';
import { t } from '../texts/index.js';

type AccountStore = Pick<Accounts, 'create' | 'update'>;

/**
 * A new account needs an address. Directory entries without one get a unique address of a reserved domain (RFC 2606), by
 * their login name, so that it stays unique after an account was renamed.
 */
function placeholderEmail(source: LoginSource, name: string, loginName: string): string {
  const own = createHash('sha256').update(`${source.id} ${loginName}`).digest('hex').slice(0, 12);
  return `${name.toLowerCase()}.${own}@${source.kind}.invalid`;
}

/** Creates and updates the accounts of users of login sources. */
export class Provisioner {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStore,
    private readonly kinds: Pick<PointReader<LoginSourceKind>, 'get'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  async provision(source: LoginSource, externalUser: ExternalUser): Promise<Account> {
    const existing = await this.find(source, externalUser.loginName);
    if (existing) return this.refresh(source, existing, externalUser);
    const account = await this.#create(source, externalUser);
    await this.kinds.get(source.kind)?.provisioned?.(source, account, externalUser);
    return account;
  }

  /** Updates the account of a user of the source by what the source says. */
  async refresh(source: LoginSource, account: Account, externalUser: ExternalUser): Promise<Account> {
    const updated = await this.#update(account, externalUser);
    await this.kinds.get(source.kind)?.provisioned?.(source, updated, externalUser);
    return updated;
  }

  /** Login names are compared as the source spells them. */
  async find(source: LoginSource, loginName: string): Promise<Account | undefined> {
    const rows = await this.database
      .query(AccountRow)
      .where({ source_id: source.id, login_name: loginName, kind: 'user' })
      .limit(10);
    const row = rows.find((one) => one.login_name === loginName);
    return row && toAccount(row);
  }

  async #update(account: Account, externalUser: ExternalUser): Promise<Account> {
    const changes: AccountChanges = {
      ...(externalUser.fullName !== undefined &&
        externalUser.fullName !== account.fullName && { fullName: externalUser.fullName }),
      ...(externalUser.isAdmin !== undefined &&
        externalUser.isAdmin !== account.isAdmin && { isAdmin: externalUser.isAdmin }),
      ...(externalUser.isRestricted !== undefined &&
        externalUser.isRestricted !== account.isRestricted && { isRestricted: externalUser.isRestricted }),
    };
    if (Object.keys(changes).length === 0) return account;
    try {
      return await this.accounts.update(account.id, changes);
    } catch (error) {
      // the last administrator stays one, whatever the source says
      if (!Problem.is(error)) throw error;
      this.log.warn('could not update an account from its login source', {
        event: 'loginSource.update',
        account: account.name,
        error,
      });
      return account;
    }
  }

  async #create(source: LoginSource, externalUser: ExternalUser): Promise<Account> {
    const name = externalAccountName(externalUser.name);
    if (name === undefined) {
      const reason = 'the name cannot be one of an account';
      this.log.warn('created no account for a user of a login source', {
        event: 'loginSource.noAccount',
        source: source.name,
        name: externalUser.name,
        reason,
      });
      throw Forbidden(t.later('error.sourceNoAccount'));
    }
    const hasEmail = isEmailAddress(externalUser.email);
    try {
      const account = await this.accounts.create({
        name,
        email: hasEmail ? externalUser.email : placeholderEmail(source, name, externalUser.loginName),
        isEmailClaimed: !hasEmail,
        isEmailProven: hasEmail,
        fullName: externalUser.fullName,
        isAdmin: externalUser.isAdmin,
        isActive: externalUser.isActive,
        isRestricted: externalUser.isRestricted,
        sourceId: source.id,
        loginName: externalUser.loginName,
      });
      return externalUser.language
        ? await this.accounts.update(account.id, { language: externalUser.language })
        : account;
    } catch (error) {
      if (!Problem.is(error)) throw error;
      // two first requests of one user came at once
      const existing = await this.find(source, externalUser.loginName);
      if (existing) return existing;
      this.log.warn('could not create an account for a user of a login source', {
        event: 'loginSource.create',
        source: source.name,
        error,
      });
      throw Forbidden(t.later('error.sourceNoAccount'));
    }
  }
}
