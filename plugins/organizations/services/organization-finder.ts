import type { Database } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Organization } from '../contract/organizations.js';
import { OrganizationRow } from '../models/organization.js';

/** Looks organizations up. */
export class OrganizationFinder {
  constructor(private readonly deps: { readonly database: Database; readonly accounts: Accounts }) {}

  async byId(id: number): Promise<Organization | undefined> {
    return (await this.byIds([id])).get(id);
  }

  async byName(name: string): Promise<Organization | undefined> {
    const account = await this.deps.accounts.byName(name);
    return account?.kind === 'organization' ? this.of(account) : undefined;
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Organization>> {
    const accounts = [...(await this.deps.accounts.byIds(ids)).values()].filter(({ kind }) => kind === 'organization');
    const rows = accounts.length
      ? await this.deps.database.query(OrganizationRow).whereIn(
          'account_id',
          accounts.map((account) => account.id),
        )
      : [];
    const own = new Map(rows.map((row) => [row.account_id, row.repository_admins_change_teams]));
    return new Map(
      accounts.map((account) => [
        account.id,
        { account, repositoryAdminsChangeTeams: own.get(account.id) ?? false } satisfies Organization,
      ]),
    );
  }

  /** What only organizations have, beside the account. */
  async of(account: Account): Promise<Organization> {
    const row = await this.deps.database.query(OrganizationRow).findById(account.id);
    return { account, repositoryAdminsChangeTeams: row?.repository_admins_change_teams ?? false };
  }
}
