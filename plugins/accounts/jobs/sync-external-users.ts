import { Problem, type Database, type JobContext } from '@mortise/plugin-sdk';
import {
  isEmailAddress,
  type Account,
  type Accounts,
  type ExternalUser,
  type LoginSource,
  type LoginSources,
} from '../api.js';
import { AccountRow, toAccount } from '../models/account.js';
import type { LoginSourceReader } from '../services/login-sources.js';

export interface SyncServices {
  readonly accounts: Accounts;
  readonly database: Database;
  readonly loginSources: LoginSources;
  readonly loginSourceReader: LoginSourceReader;
}

type Context = Pick<JobContext, 'log' | 'signal'>;

const step = 500;

/**
 * Takes over all people of the sources that are synchronized: who is new gets an account, who changed is changed, who is
 * gone is deactivated; that last only after the source has told everybody. Each person is a step of its own: what was
 * done stays when it is stopped. Then it throws, so that the job is run again and does the rest.
 */
export async function syncExternalUsers(
  services: SyncServices,
  { updatesExisting }: { readonly updatesExisting: boolean },
  context: Context,
): Promise<void> {
  const sources = await services.loginSources.list({ isActive: true });
  for (const source of sources.filter((one) => one.isSyncEnabled)) {
    context.signal.throwIfAborted();
    try {
      await new SourceSync(services, source, updatesExisting, context).run();
    } catch (error) {
      context.signal.throwIfAborted();
      // the other sources are none the worse
      context.log.warn('could not synchronize a login source', {
        event: 'loginSource.sync',
        source: source.name,
        error,
      });
    }
  }
}

class SourceSync {
  /** Login names that the source told. */
  readonly #seen = new Set<string>();

  constructor(
    private readonly services: SyncServices,
    private readonly source: LoginSource,
    private readonly updatesExisting: boolean,
    private readonly context: Context,
  ) {}

  async run(): Promise<void> {
    const { context, services, source } = this;
    const kind = services.loginSourceReader.kind(source.kind);
    if (!kind?.users) return;
    for await (const users of kind.users(source, context.signal)) {
      const known = await this.#accounts(users);
      for (const externalUser of users) {
        context.signal.throwIfAborted();
        this.#seen.add(externalUser.loginName);
        await this.#ignoreRefusals(externalUser.loginName, () =>
          this.#update(externalUser, known.get(externalUser.loginName)),
        );
      }
    }
    context.signal.throwIfAborted();
    if (this.updatesExisting) await this.#deactivateOthers();
  }

  /** Spelled as the source does. */
  async #accounts(users: readonly ExternalUser[]): Promise<Map<string, Account>> {
    const names = users.map(({ loginName }) => loginName);
    const rows = await this.services.database
      .query(AccountRow)
      .where({ source_id: this.source.id, kind: 'user' })
      .whereIn('login_name', names);
    return new Map(rows.map((row) => [row.login_name, toAccount(row)]));
  }

  async #update(externalUser: ExternalUser, known: Account | undefined): Promise<void> {
    if (known && !this.updatesExisting) return;
    const { accounts, loginSources } = this.services;
    const account = await loginSources.provision(this.source, externalUser);
    if (!known) return;
    const { email } = externalUser;
    // whoever is to stay out may not sign in: `prohibitLogin`
    if (!known.isActive) await accounts.update(account.id, { isActive: true });
    // last: it may be somebody else's
    if (isEmailAddress(email) && email.toLowerCase() !== known.email.toLowerCase())
      await accounts.update(account.id, { email });
  }

  async #deactivateOthers(): Promise<void> {
    const { accounts, database } = this.services;
    for (let after = 0; ;) {
      const rows = await database
        .query(AccountRow)
        .select('id', 'login_name')
        .where({ source_id: this.source.id, kind: 'user', is_active: true })
        .where('id', '>', after)
        .orderBy('id')
        .limit(step);
      for (const row of rows) {
        this.context.signal.throwIfAborted();
        if (!this.#seen.has(row.login_name))
          await this.#ignoreRefusals(row.login_name, () => accounts.update(row.id, { isActive: false }));
      }
      const last = rows.at(-1);
      if (!last || rows.length < step) return;
      after = last.id;
    }
  }

  /** Names that are taken and the last administrator are refused; that concerns one person. */
  async #ignoreRefusals(loginName: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!Problem.is(error)) throw error;
      this.context.log.warn('could not synchronize a user of a login source', {
        event: 'loginSource.syncUser',
        source: this.source.name,
        loginName,
        error,
      });
    }
  }
}
