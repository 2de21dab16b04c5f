import { createHash } from 'node:crypto';
import { apiTime, type Actor, type Site } from '@mortise/plugin-sdk';
import type { Account, ApiUser } from '../api.js';

/** All about a viewer that a record depends on: `close` are the account itself and administrators. */
type ViewerKind = 'visitor' | 'user' | 'close';

/** How accounts look from outside: the REST model, addresses, pictures. */
export class AccountPresenter {
  readonly #noReplyHost: string;
  /** As the account looks to each kind of viewer; rows that are kept between requests need it again and again. */
  readonly #cached = new WeakMap<Account, Partial<Record<ViewerKind, ApiUser>>>();
  readonly #drawn = new WeakMap<Account, string>();

  constructor(
    private readonly site: Site,
    noReplyAddress: string,
  ) {
    this.#noReplyHost = noReplyAddress || `noreply.${new URL(site.rootUrl).hostname}`;
  }

  /** The form that hides an address; names the account by id, so it survives renames. */
  hiddenEmail(account: Account): string {
    return `${account.id}+${account.lowerName}@${this.#noReplyHost}`;
  }

  /** The account's id or name in a hidden address, or undefined. */
  hiddenOwner(email: string): { id?: number; lowerName: string } | undefined {
    const at = email.lastIndexOf('@');
    if (email.slice(at + 1).toLowerCase() !== this.#noReplyHost) return undefined;
    const local = email.slice(0, at).toLowerCase();
    const plus = /^(\d+)\+(.+)$/.exec(local);
    return plus ? { id: Number(plus[1]), lowerName: plus[2]! } : { lowerName: local };
  }

  commitEmail(account: Account): string {
    return account.keepEmailPrivate || !account.email ? this.hiddenEmail(account) : account.email;
  }

  /** Key of the drawn picture of an account that has not uploaded one. */
  drawnAvatar(account: Account): string {
    let key = this.#drawn.get(account);
    if (key === undefined) {
      key = createHash('md5').update(`account ${account.id} ${account.createdAt}`).digest('hex');
      this.#drawn.set(account, key);
    }
    return key;
  }

  avatarUrl(account: Account): string {
    return this.site.url(`/avatars/${account.avatar || this.drawnAvatar(account)}`);
  }

  toApiUser(account: Account, viewer: Actor): ApiUser {
    const isSignedIn = viewer.kind === 'user';
    const closeness = !isSignedIn ? 'visitor' : viewer.id === account.id || viewer.isAdmin ? 'close' : 'user';
    let cached = this.#cached.get(account);
    if (!cached) this.#cached.set(account, (cached = {}));
    return (cached[closeness] ??= Object.freeze(this.#viewerKind(account, closeness)));
  }

  #viewerKind(account: Account, closeness: ViewerKind): ApiUser {
    const close = closeness === 'close';
    const signedIn = closeness !== 'visitor';
    const isUser = account.kind === 'user';
    const showEmail = signedIn && (close || !account.keepEmailPrivate);
    return {
      id: account.id,
      login: account.name,
      login_name: close ? account.loginName : '',
      source_id: close ? account.sourceId : 0,
      full_name: account.fullName,
      email: isUser && !showEmail ? this.hiddenEmail(account) : account.email,
      avatar_url: this.avatarUrl(account),
      html_url: this.site.url(`/${encodeURIComponent(account.name)}`),
      language: close ? account.language : '',
      is_admin: close && account.isAdmin,
      last_login: apiTime(close ? account.lastLoginAt : 0),
      created: apiTime(account.createdAt),
      restricted: account.isRestricted,
      active: close && isUser && account.isActive,
      prohibit_login: close && account.prohibitLogin,
      location: account.location,
      website: account.website,
      description: account.description,
      visibility: account.visibility,
      followers_count: account.followerCount,
      following_count: account.followingCount,
      starred_repos_count: close ? account.starredCount : account.publicStarredCount,
      username: account.name,
    };
  }

  ghost(): ApiUser {
    return {
      id: -1,
      login: 'Ghost',
      login_name: '',
      source_id: 0,
      full_name: '',
      email: '',
      avatar_url: this.site.url('/avatars/ghost'),
      html_url: this.site.url('/Ghost'),
      language: '',
      is_admin: false,
      last_login: apiTime(0),
      created: apiTime(0),
      restricted: false,
      active: false,
      prohibit_login: false,
      location: '',
      website: '',
      description: '',
      visibility: 'public',
      followers_count: 0,
      following_count: 0,
      starred_repos_count: 0,
      username: 'Ghost',
    };
  }
}
