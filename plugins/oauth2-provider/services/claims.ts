import type { PointReader, Site } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { OAuth2Groups } from '../contract/oauth2-provider.js';

interface Claims {
  [name: string]: unknown;
  readonly sub: string;
}

/** What an application is told of somebody (OpenID Connect Core 1.0, 5.1 and 5.4). */
export class UserClaims {
  constructor(
    private readonly accounts: Accounts,
    private readonly site: Site,
    private readonly groups: PointReader<OAuth2Groups>,
  ) {}

  async of(account: Account, scope: readonly string[]): Promise<Claims> {
    const has = (word: string) => scope.includes(word);
    // whoever may read all of the account may read this of it
    const all = has('all') || scope.some((word) => word.endsWith(':user'));
    return {
      sub: String(account.id),
      ...((has('profile') || all) && {
        name: account.fullName || account.name,
        preferred_username: account.name,
        profile: this.site.url(`/${account.name}`),
        picture: this.site.url(this.accounts.avatarUrl(account)),
        ...(account.website && { website: account.website }),
        ...(account.language && { locale: account.language }),
        updated_at: Math.floor(account.updatedAt / 1000),
      }),
      ...((has('email') || all) && { email: account.email, email_verified: await this.#isConfirmed(account) }),
      ...(has('groups') && {
        groups: await this.#groupsOf(account, { publicOnly: has('public-only') }),
      }),
    };
  }

  async #groupsOf(account: Account, options: { readonly publicOnly: boolean }): Promise<readonly string[]> {
    return (await Promise.all(this.groups.list().map((one) => one.groups(account, options)))).flat();
  }

  /** Somebody else than its owner vouches for the address: others may know people by it. */
  async #isConfirmed({ id, email }: Account): Promise<boolean> {
    const owners = await this.accounts.byConfirmedEmails([email]);
    return owners.get(email.toLowerCase())?.id === id;
  }
}
