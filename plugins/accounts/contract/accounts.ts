import type { QueryBuilder } from 'objection';
import { definePoint, defineService, type Actor, type Keyed, type Model, type Text } from '@mortise/plugin-sdk';
import type { Account, AccountKind, ApiUser, Visibility } from './account.js';

export interface NewAccount {
  name: string;
  email: string;
  /** The owner of the account has only claimed the address; see {@link EmailAddress.isConfirmed}. Default false. */
  isEmailClaimed?: boolean;
  /** A login source says that the address is theirs; see {@link EmailAddress.isProven}. Default false. */
  isEmailProven?: boolean;
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
  /** Only accounts of these numbers; at most 500. */
  readonly ids?: readonly number[];
  readonly kind?: AccountKind;
  /** One of them. */
  readonly visibility?: readonly Visibility[];
  readonly loginName?: string;
  readonly sourceId?: number;
  readonly isActive?: boolean;
  readonly isAdmin?: boolean;
  readonly isRestricted?: boolean;
  readonly prohibitLogin?: boolean;
  /** By keys of {@link accountFilters}, such as `second-factor`; one that no plugin knows holds of nobody. */
  readonly filters?: Readonly<Record<string, boolean>>;
  readonly sort?: 'name' | 'newest' | 'oldest' | 'updated' | 'id';
  readonly descending?: boolean;
  /** Only what this actor may see. */
  readonly visibleTo?: Actor;
  readonly limit: number;
  readonly offset: number;
}

/** Extension point: something that holds of accounts or not, by which administrators search them. */
export interface AccountFilter extends Keyed {
  /** Leaves the accounts of which it holds, or those of which it does not; the table is `user`. */
  where(holds: boolean, query: QueryBuilder<Model>): void;
}
export const accountFilters = definePoint.keyed<AccountFilter>('accounts.filters');

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
  /** What the visibility of a user may be: as `[service] ALLOWED_USER_VISIBILITY_MODES` says, or as it is. */
  visibilitiesFor(account: Pick<Account, 'visibility'>): readonly Visibility[];
  count(filter?: { isAdmin?: boolean; kind?: AccountKind }): Promise<number>;

  /** Throws Invalid for a bad, reserved or used name or address, or a visibility that is not allowed (admin-users-*). Emits {@link userCreated}. */
  create(account: NewAccount): Promise<Account>;
  /** Throws Invalid for a visibility that is not one of {@link visibilitiesFor} the account. */
  update(id: number, changes: AccountChanges): Promise<Account>;
  /** Leaves a redirect behind. Emits {@link userRenamed}. */
  rename(id: number, name: string): Promise<Account>;
  /** Emits {@link userDeleting} (may refuse), then {@link userDeleted}. `purge`: also what the account owns. */
  delete(id: number, options?: { purge?: boolean }): Promise<void>;
  /**
   * The account when name (or address) and password match, whatever its state; else undefined. `from` is the address of
   * the client: failures from there count, and too many are refused with a Problem (429). Leave it out only where
   * nobody can guess. `isRecentEnough`: what the login source of the account has confirmed within the last minute need not
   * be asked there again; for programs that send the password with each request.
   */
  checkPassword(
    nameOrEmail: string,
    password: string,
    from?: string,
    options?: { readonly isRecentEnough?: boolean },
  ): Promise<Account | undefined>;
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
  /** The same for an address; `isProvenLater`: it is not in use before its owner has proved it. */
  checkNewEmail(email: string, options?: { isProvenLater?: boolean }): Promise<void>;
  /** Throws BadRequest for a password that is too short, too long or too plain. */
  checkNewPassword(password: string): void;
  /** Moves the counters of starred repositories of these accounts, each by as much; inside the caller's transaction. */
  addStarred(ids: readonly number[], by: { readonly all?: number; readonly public?: number }): Promise<void>;

  /** The actor of a signed-in account; `method` is the key of the auth method. */
  actorOf(account: Account, method: string, more?: Partial<Actor>): Actor;
  /** Why this account may not act now (inactive, prohibited), or undefined. */
  refusal(account: Account): Text | undefined;
  /** Model `User`, with private fields only for the account itself and administrators. */
  toApiUser(account: Account, viewer: Actor): ApiUser;
  /** The model of an account that is gone. */
  ghost(): ApiUser;
  /** Address used in commits made on behalf of the account (hidden form when kept private). */
  commitEmail(account: Account): string;
  /** Address of the picture, below the root URL. */
  avatarUrl(account: Account): string;
  blocks(blockerId: number, blockedId: number): Promise<boolean>;
  /** Those of these accounts that block it. */
  blockersAmong(ids: readonly number[], blockedId: number): Promise<ReadonlySet<number>>;
  /** Those of these accounts that it blocks. */
  blockedAmong(blockerId: number, ids: readonly number[]): Promise<ReadonlySet<number>>;
}
export const accounts = defineService<Accounts>('accounts.accounts');

/** Pictures of accounts. */
export interface AccountPictures {
  /** `[picture] AVATAR_MAX_FILE_SIZE`, in bytes. */
  readonly maxBytes: number;
  /** TooLarge, BadRequest for what is no picture or has too many points. */
  upload(accountId: number, data: Buffer): Promise<void>;
  /** The same with a file field of a form; Invalid where no file was chosen. */
  uploadFile(accountId: number, file: unknown): Promise<void>;
  /** Back to the drawn picture. */
  remove(accountId: number): Promise<void>;
}
export const accountPictures = defineService<AccountPictures>('accounts.pictures');

/** Whom accounts block; also organizations. */
export interface AccountBlocks {
  list(blockerId: number, page: { limit: number; offset: number }): Promise<{ items: Account[]; total: number }>;
  /** BadRequest for itself, for an organization, and for who is blocked already. Emits {@link userBlocked}. */
  block(blockerId: number, target: Account, note: string): Promise<void>;
  /** BadRequest for who is not blocked. */
  unblock(blockerId: number, blockedId: number): Promise<void>;
}
export const accountBlocks = defineService<AccountBlocks>('accounts.blocks');

/** Slows down guessing of what is not a password, such as one-time codes, by the limits that hold for passwords. */
export interface GuessLimits {
  /**
   * Runs `check`; undefined from it is a wrong guess, which counts for `name` from the network of the client, and for that
   * network alone. Too many: Problem (429), and nothing is checked. `name` says what is guessed, and whose it is.
   */
  attempt<T>(
    given: { readonly name: string; readonly address: string },
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
}
export const guessLimits = defineService<GuessLimits>('accounts.guessLimits');
