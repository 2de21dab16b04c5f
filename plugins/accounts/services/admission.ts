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

type Keeper = Pick<Accounts, 'create' | 'update'>;

/**
 * A new account needs an address. Directory entries without one get an address of a domain reserved for none (RFC 2606),
 * its own for each login name, also after an account was renamed.
 */
function placeholderEmail(source: LoginSource, name: string, loginName: string): string {
  const own = createHash('sha256').update(`${source.id} ${loginName}`).digest('hex').slice(0, 12);
  return `${name.toLowerCase()}.${own}@${source.kind}.invalid`;
}

/** Makes people of login sources accounts here. */
export class Admission {
  constructor(
    private readonly database: Database,
    private readonly accounts: Keeper,
    private readonly kinds: Pick<PointReader<LoginSourceKind>, 'get'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  async admit(source: LoginSource, person: ExternalUser): Promise<Account> {
    const known = await this.known(source, person.loginName);
    if (known) return this.refresh(source, known, person);
    const made = await this.#make(source, person);
    await this.kinds.get(source.kind)?.admitted?.(source, made, person);
    return made;
  }

  /** What the source says of a person whose account is known. */
  async refresh(source: LoginSource, known: Account, person: ExternalUser): Promise<Account> {
    const account = await this.#takeOver(known, person);
    await this.kinds.get(source.kind)?.admitted?.(source, account, person);
    return account;
  }

  /** Login names are compared as the source spells them. */
  async known(source: LoginSource, loginName: string): Promise<Account | undefined> {
    const rows = await this.database
      .query(AccountRow)
      .where({ source_id: source.id, login_name: loginName, kind: 'user' })
      .limit(10);
    const row = rows.find((one) => one.login_name === loginName);
    return row && toAccount(row);
  }

  async #takeOver(account: Account, person: ExternalUser): Promise<Account> {
    const changes: AccountChanges = {
      ...(person.fullName !== undefined && person.fullName !== account.fullName && { fullName: person.fullName }),
      ...(person.isAdmin !== undefined && person.isAdmin !== account.isAdmin && { isAdmin: person.isAdmin }),
      ...(person.isRestricted !== undefined &&
        person.isRestricted !== account.isRestricted && { isRestricted: person.isRestricted }),
    };
    if (Object.keys(changes).length === 0) return account;
    try {
      return await this.accounts.update(account.id, changes);
    } catch (error) {
      // the last administrator stays one, whatever the source says
      if (!Problem.is(error)) throw error;
      this.log.warn('what a login source says of an account was not taken over', { account: account.name, error });
      return account;
    }
  }

  async #make(source: LoginSource, person: ExternalUser): Promise<Account> {
    const name = externalAccountName(person.name);
    if (name === undefined) {
      const reason = 'the name cannot be one of an account';
      this.log.warn('a person of a login source gets no account', { source: source.name, name: person.name, reason });
      throw Forbidden(t.later('error.sourceNoAccount'));
    }
    const hasEmail = isEmailAddress(person.email);
    try {
      const account = await this.accounts.create({
        name,
        email: hasEmail ? person.email : placeholderEmail(source, name, person.loginName),
        isEmailClaimed: !hasEmail,
        isEmailProven: hasEmail,
        fullName: person.fullName,
        isAdmin: person.isAdmin,
        isActive: person.isActive,
        isRestricted: person.isRestricted,
        sourceId: source.id,
        loginName: person.loginName,
      });
      return person.language ? await this.accounts.update(account.id, { language: person.language }) : account;
    } catch (error) {
      if (!Problem.is(error)) throw error;
      // two first requests of one person come at once
      const known = await this.known(source, person.loginName);
      if (known) return known;
      this.log.warn('a person of a login source gets no account', { source: source.name, error });
      throw Forbidden(t.later('error.sourceNoAccount'));
    }
  }
}
