import { defineService, type QueryCache } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';

/** Whose the addresses in commits are; most pages and answers about code ask for it. */
export class CommitAuthors {
  constructor(
    private readonly accounts: Pick<Accounts, 'byEmails'>,
    private readonly known: QueryCache<Account | undefined>,
  ) {}

  /** Accounts of authors and committers, by lower-case address. */
  async of(commits: readonly Commit[]): Promise<Map<string, Account>> {
    const addresses = commits.flatMap(({ author, committer }) => [author.email, committer.email]);
    const wanted = new Set(addresses.filter(Boolean).map((address) => address.toLowerCase()));
    const all = await this.known.loadMany([...wanted], async (missing) => {
      const accountByEmail = await this.accounts.byEmails(missing);
      return new Map(missing.map((address) => [address, accountByEmail.get(address)]));
    });
    const users = new Map<string, Account>();
    for (const [address, account] of all) if (account) users.set(address, account);
    return users;
  }
}

/** Not part of the contract. */
export const commitAuthorsRef = defineService<CommitAuthors>('history.commitAuthors');
