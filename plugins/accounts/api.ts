/**
 * The contract of `accounts`: who has an account here, how plugins find and show them, and what happens to them.
 * Types, references, events, points and the schema of the REST model; no behaviour.
 */
import type { VNode } from 'preact';
import {
  Joi,
  type Actor,
  defineEvent,
  definePoint,
  defineService,
  defineResource,
  type Keyed,
  type NavigationItem,
  type PageOptions,
  type Slot,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';

export type Visibility = 'public' | 'limited' | 'private';

/** `user` is a person, `organization` an owner without a password; both share one namespace of names. */
export type AccountKind = 'user' | 'organization';

/** One row of `user`. Times are milliseconds since 1970 UTC. */
export interface Account {
  readonly id: number;
  readonly kind: AccountKind;
  readonly name: string;
  readonly lowerName: string;
  readonly fullName: string;
  /** Primary address. */
  readonly email: string;
  readonly keepEmailPrivate: boolean;
  readonly description: string;
  readonly location: string;
  readonly website: string;
  readonly language: string;
  readonly theme: string;
  readonly diffViewStyle: string;
  readonly hideActivity: boolean;
  readonly visibility: Visibility;
  readonly isAdmin: boolean;
  readonly isActive: boolean;
  readonly isRestricted: boolean;
  readonly prohibitLogin: boolean;
  readonly mustChangePassword: boolean;
  readonly allowCreateOrganization: boolean;
  readonly allowGitHook: boolean;
  readonly allowImportLocal: boolean;
  /** -1: the site's default; 0: none. */
  readonly maxRepoCreation: number;
  /** 0: local password. */
  readonly sourceId: number;
  readonly loginName: string;
  /** Has a local password. */
  readonly hasPassword: boolean;
  /** Key of `/avatars/{avatar}`. */
  readonly avatar: string;
  readonly followerCount: number;
  readonly followingCount: number;
  readonly starredCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 0: never. */
  readonly lastLoginAt: number;
}

/** Model `User` of the REST surface. */
export interface ApiUser {
  id: number;
  login: string;
  login_name: string;
  source_id: number;
  full_name: string;
  email: string;
  avatar_url: string;
  html_url: string;
  language: string;
  is_admin: boolean;
  last_login: string;
  created: string;
  restricted: boolean;
  active: boolean;
  prohibit_login: boolean;
  location: string;
  website: string;
  description: string;
  visibility: Visibility;
  followers_count: number;
  following_count: number;
  starred_repos_count: number;
  /** The compatible service repeats `login` under this older name. */
  username: string;
}

export const userSchema = Joi.object<ApiUser>({
  id: Joi.number().integer().required(),
  login: Joi.string().required(),
  login_name: Joi.string().allow('').required(),
  source_id: Joi.number().integer().required(),
  full_name: Joi.string().allow('').required(),
  email: Joi.string().allow('').required(),
  avatar_url: Joi.string().allow('').required(),
  html_url: Joi.string().allow('').required(),
  language: Joi.string().allow('').required(),
  is_admin: Joi.boolean().required(),
  last_login: Joi.string().isoDate().required(),
  created: Joi.string().isoDate().required(),
  restricted: Joi.boolean().required(),
  active: Joi.boolean().required(),
  prohibit_login: Joi.boolean().required(),
  location: Joi.string().allow('').required(),
  website: Joi.string().allow('').required(),
  description: Joi.string().allow('').required(),
  visibility: Joi.string().valid('public', 'limited', 'private').required(),
  followers_count: Joi.number().integer().required(),
  following_count: Joi.number().integer().required(),
  starred_repos_count: Joi.number().integer().required(),
  username: Joi.string().required(),
}).label('User');

export interface NewAccount {
  name: string;
  email: string;
  /** The owner of the account has only claimed the address; see {@link EmailAddress.isConfirmed}. Default false. */
  isEmailClaimed?: boolean;
  /** Absent: no local password (an outside login source, or an organization). */
  password?: string;
  kind?: AccountKind;
  fullName?: string;
  description?: string;
  location?: string;
  website?: string;
  isAdmin?: boolean;
  isActive?: boolean;
  isRestricted?: boolean;
  prohibitLogin?: boolean;
  mustChangePassword?: boolean;
  visibility?: Visibility;
  sourceId?: number;
  loginName?: string;
  /** For imports. */
  createdAt?: number;
}

/** Fields that {@link Accounts.update} takes; absent ones stay. */
export type AccountChanges = Partial<
  Pick<
    Account,
    | 'fullName'
    | 'keepEmailPrivate'
    | 'description'
    | 'location'
    | 'website'
    | 'language'
    | 'theme'
    | 'diffViewStyle'
    | 'hideActivity'
    | 'visibility'
    | 'isAdmin'
    | 'isActive'
    | 'isRestricted'
    | 'prohibitLogin'
    | 'mustChangePassword'
    | 'allowCreateOrganization'
    | 'allowGitHook'
    | 'allowImportLocal'
    | 'maxRepoCreation'
    | 'sourceId'
    | 'loginName'
    | 'lastLoginAt'
  >
> & {
  password?: string;
  /** New primary address. */
  email?: string;
  /** Id of the session that changes the password and goes on. */
  keepSession?: number;
};

export interface AccountSearch {
  /**
   * Part of name, full name or address; of addresses only what the viewer is shown: visitors none, others their own and
   * those that are not hidden, administrators all.
   */
  readonly text?: string;
  readonly id?: number;
  readonly kind?: AccountKind;
  readonly visibility?: Visibility;
  readonly loginName?: string;
  readonly sourceId?: number;
  readonly isActive?: boolean;
  readonly isAdmin?: boolean;
  readonly isRestricted?: boolean;
  readonly prohibitLogin?: boolean;
  readonly sort?: 'name' | 'newest' | 'oldest' | 'updated' | 'id';
  readonly descending?: boolean;
  /** Only what this actor may see. */
  readonly visibleTo?: Actor;
  readonly limit: number;
  readonly offset: number;
}

export interface Accounts {
  byId(id: number): Promise<Account | undefined>;
  /** One query however many; keyed by id. */
  byIds(ids: readonly number[]): Promise<Map<number, Account>>;
  /** Case-insensitive; users and organizations. */
  byName(name: string): Promise<Account | undefined>;
  /** Keyed by lower-case name. */
  byNames(names: readonly string[]): Promise<Map<string, Account>>;
  /** Any verified address, or the hidden form `name@noreply.host`. */
  byEmail(email: string): Promise<Account | undefined>;
  /** Maps commit authors; keyed by lower-case address. */
  byEmails(emails: readonly string[]): Promise<Map<string, Account>>;
  /** Of confirmed addresses and hidden forms only: what somebody proves with them is theirs (S10). */
  byConfirmedEmails(emails: readonly string[]): Promise<Map<string, Account>>;
  /** The present name of an account that was renamed away from `name`. */
  renamedTo(name: string): Promise<string | undefined>;
  search(search: AccountSearch): Promise<{ items: Account[]; total: number }>;
  count(filter?: { isAdmin?: boolean; kind?: AccountKind }): Promise<number>;

  /** Throws Invalid for a bad, reserved or used name or address (admin-users-*). Emits {@link userCreated}. */
  create(account: NewAccount): Promise<Account>;
  update(id: number, changes: AccountChanges): Promise<Account>;
  /** Leaves a redirect behind. Emits {@link userRenamed}. */
  rename(id: number, name: string): Promise<Account>;
  /** Emits {@link userDeleting} (may refuse), then {@link userDeleted}. `purge`: also what the account owns. */
  delete(id: number, options?: { purge?: boolean }): Promise<void>;
  /**
   * The account when name (or address) and password match, whatever its state; else undefined. `from` is the address of
   * the client: failures from there count, and too many are refused with a Problem (429). Leave it out only where
   * nobody can guess.
   */
  checkPassword(nameOrEmail: string, password: string, from?: string): Promise<Account | undefined>;
  /**
   * Changes with the account's password and is its own for every password: what somebody may do because they gave the
   * right one ends with it. Does not lead back to the password; not to be shown all the same. Empty: no such account.
   */
  passwordStamp(userId: number): Promise<string>;
  /** One that nobody guesses and that this site takes as a new password. */
  randomPassword(): string;
  /** Throws Invalid unless `name` may be given to a new account (characters, length, reserved words, routes). */
  checkName(name: string): void;
  /** Throws what {@link create} would throw for this name, also when it is taken; for forms that tell all at once. */
  checkNewName(name: string): Promise<void>;
  /** The same for an address. */
  checkNewEmail(email: string): Promise<void>;
  /** Throws BadRequest for a password that is too short, too long or too plain. */
  checkNewPassword(password: string): void;
  /** Moves the counter of starred repositories; inside the caller's transaction. */
  addStarred(id: number, by: number): Promise<void>;

  /** The actor of a signed-in account; `method` is the key of the auth method. */
  actorOf(account: Account, method: string, more?: Partial<Actor>): Actor;
  /** Why this account may not act now (inactive, prohibited), or undefined. */
  refusal(account: Account): Text | undefined;
  /** May the actor know that the account exists (visibility public, limited, private)? */
  mayView(actor: Actor, account: Account): boolean;
  /** Model `User`, with private fields only for the account itself and administrators. */
  toApiUser(account: Account, viewer: Actor): ApiUser;
  /** The model of an account that is gone. */
  ghost(): ApiUser;
  /** Address used in commits made on behalf of the account (hidden form when kept private). */
  commitEmail(account: Account): string;
  /** Address of the picture, below the root URL. */
  avatarUrl(account: Account): string;
  blocks(blockerId: number, blockedId: number): Promise<boolean>;
}
export const accounts = defineService<Accounts>('accounts.accounts');

export interface EmailAddress {
  readonly id: number;
  readonly userId: number;
  readonly email: string;
  readonly isPrimary: boolean;
  /** In use; what the API calls verified. */
  readonly isVerified: boolean;
  /** Somebody other than the account's owner vouches for it: an administrator, or a mail that was answered. */
  readonly isConfirmed: boolean;
}

export const emailSchema: Joi.ObjectSchema<object> = Joi.object({
  email: Joi.string(),
  verified: Joi.boolean(),
  primary: Joi.boolean(),
  user_id: Joi.number().integer(),
  username: Joi.string().allow(''),
}).label('Email');

/** Addresses of accounts. */
export interface Emails {
  list(userId: number): Promise<EmailAddress[]>;
  add(
    userId: number,
    emails: readonly string[],
    options?: { verified?: boolean; confirmed?: boolean },
  ): Promise<EmailAddress[]>;
  /** NotFound: the account does not have it. */
  confirm(userId: number, email: string): Promise<void>;
  remove(userId: number, emails: readonly string[]): Promise<void>;
  makePrimary(userId: number, email: string): Promise<void>;
  search(search: { text?: string; limit: number; offset: number }): Promise<{ items: EmailAddress[]; total: number }>;
}
export const emails = defineService<Emails>('accounts.emails');

/** An SSH public key of a user. */
export interface PublicKey {
  readonly id: number;
  readonly userId: number;
  readonly title: string;
  /** `type base64 comment` as given. */
  readonly content: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
  readonly keyType: string;
  readonly readOnly: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

export interface ParsedPublicKey {
  /** `type base64 comment`, normalised. */
  readonly content: string;
  /** `ssh-ed25519`, … */
  readonly algorithm: string;
  readonly fingerprint: string;
  readonly comment: string;
}

export interface PublicKeys {
  list(search: {
    userId: number;
    fingerprint?: string;
    limit: number;
    offset: number;
  }): Promise<{ items: PublicKey[]; total: number }>;
  byId(id: number): Promise<PublicKey | undefined>;
  byFingerprint(fingerprint: string): Promise<PublicKey | undefined>;
  add(userId: number, key: { title: string; key: string; readOnly?: boolean }): Promise<PublicKey>;
  remove(id: number): Promise<void>;
  /** Written behind; for transports that authenticate with keys. */
  used(id: number): void;
  /** Checks form, kind and size (LIM-14); throws Invalid. Deploy keys use it too. */
  parse(text: string): ParsedPublicKey;
}
export const publicKeys = defineService<PublicKeys>('accounts.publicKeys');

/** Model `PublicKey` of the REST surface. */
export interface ApiPublicKey {
  id: number;
  key: string;
  url: string;
  title: string;
  fingerprint: string;
  created_at: string;
  last_used_at: string;
  user?: ApiUser;
  read_only?: boolean;
  key_type?: string;
}

export const publicKeySchema: Joi.ObjectSchema<object> = Joi.object({
  id: Joi.number().integer(),
  key: Joi.string(),
  url: Joi.string(),
  title: Joi.string(),
  fingerprint: Joi.string(),
  created_at: Joi.string().isoDate(),
  last_used_at: Joi.string().isoDate(),
  user: userSchema.optional(),
  read_only: Joi.boolean(),
  key_type: Joi.string(),
}).label('PublicKey');

/** Makes the model; whose key it is, is told to its owner and administrators. */
export type ShowKey = (key: PublicKey, owner: Account | undefined, viewer: Actor) => ApiPublicKey;
export const showKey = defineService<ShowKey>('accounts.showKey');

/** The account named by `{username}`: 404 when missing or not visible, 307 to the new name after a rename (GEN-06). */
export const userResource = defineResource<Account>('accounts.user');
/** Like {@link userResource}, for operations that also reach accounts whose profile is not visible (following, keys). */
export const anyUserResource = defineResource<Account>('accounts.anyUser');

export const userCreated = defineEvent<{ userId: number; name: string }>('accounts.userCreated');
/** In the transaction: update what repeats the name. */
export const userRenamed = defineEvent<{ userId: number; from: string; to: string }>('accounts.userRenamed');
/**
 * Subscribe `within`: refuse (throw Invalid) when the account still owns something and `purge` is false, else remove
 * what belongs to it.
 */
export const userDeleting = defineEvent<{ userId: number; name: string; purge: boolean }>('accounts.userDeleting');
export const userDeleted = defineEvent<{ userId: number; name: string }>('accounts.userDeleted');
/** In the transaction: update what repeats who may see the account. */
export const userVisibilityChanged = defineEvent<{ userId: number; visibility: Account['visibility'] }>(
  'accounts.userVisibilityChanged',
);
/** In the transaction: take back what ties the two together. */
export const userBlocked = defineEvent<{ blockerId: number; blockedId: number }>('accounts.userBlocked');
/** Subscribe `within`: refuse (throw Invalid) a key that opens something else already. */
export const publicKeyAdding = defineEvent<{ userId: number; fingerprint: string }>('accounts.publicKeyAdding');
/** Password, state or rights changed. After a new password other sessions than `keepSession` are void. */
export const credentialsChanged = defineEvent<{ userId: number; passwordChanged: boolean; keepSession?: number }>(
  'accounts.credentialsChanged',
);

/** What the profile page of `/{username}` knows. */
export interface ProfileProps {
  readonly account: Account;
  readonly actor: Actor;
  readonly csrf: string;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** A tab of the profile page, `/{username}?tab={key}`; the lowest order is shown first. */
export interface ProfileTab extends Keyed {
  readonly label: Text;
  readonly order?: number;
  readonly icon?: string;
  visible?(props: ProfileProps): boolean;
  /** Number beside the label. */
  count?(props: ProfileProps): Promise<number | undefined>;
  render: Slot<ProfileProps>['render'];
}
export const profileTabs = definePoint.keyed<ProfileTab>('accounts.profileTabs');

/** Below the facts beside the picture on the profile page. */
export const profileDetails = definePoint.keyed<Slot<ProfileProps>>('accounts.profileDetails');

/** Replaces the whole page of `/{username}` for kinds of accounts that have their own (organizations). */
export interface ProfilePage extends Keyed {
  readonly kind: AccountKind;
  render: Slot<ProfileProps>['render'];
}
export const profilePages = definePoint.keyed<ProfilePage>('accounts.profilePages');

/** A page below `/user/settings`, in the layout with the settings menu. */
export interface SettingsPageOptions {
  /** Key of the active entry of {@link settingsMenu}. */
  readonly active: string;
  readonly title: Text;
  readonly actor: Actor;
  readonly body: VNode;
  readonly status?: number;
  readonly flash?: PageOptions['flash'];
}
export type SettingsPage = (options: SettingsPageOptions) => WebPage;
export const settingsPage = defineService<SettingsPage>('accounts.settingsPage');

/** Entries of the menu on the settings pages; the pages belong to who contributes. */
export const settingsMenu = definePoint.keyed<NavigationItem>('accounts.settingsMenu');

/** First path segments that no account may take as name; pages below `/` declare theirs. */
export const reservedNames = definePoint.many<{ readonly names: readonly string[] }>('accounts.reservedNames');
